// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
import Hummingbird
import Logging
import TesseraOAuth

/// A service that lists the Drive of a Workspace user, without any key on disk.
///
/// The environment contains the settings. See ``DelegatedDriveSettings``.
@main
enum DelegatedDriveProgram {
    static func main() async {
        do {
            let settings = try DelegatedDriveSettings(ProcessInfo.processInfo.environment)
            let files = try UserFiles(settings)
            // Find configuration errors before the first request.
            try await files.check()
            let application = Application(
                router: FilesRouter.make(files),
                configuration: ApplicationConfiguration(address: .hostname(settings.host, port: settings.port)),
                logger: Logger(label: "delegated-drive")
            )
            try await application.runService()
        } catch let error as any ErrorGuidance {
            Self.fail("\(error). \(error.recoverySuggestion ?? "")")
        } catch {
            Self.fail("\(error)")
        }
    }

    private static func fail(_ text: String) {
        FileHandle.standardError.write(Data("delegated-drive: \(text)\n".utf8))
        exit(1)
    }
}
