// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
import HTTPTypes
import Tessera
import TesseraDefaults
import TesseraFetch
import TesseraGoogle

/// Lists the files in the user's Google Drive.
///
/// Usage: `drive-list client_secret.json`. The first run opens the browser. Later runs use the saved session.
@main
enum DriveList {
    private static let drive: Scope = "https://www.googleapis.com/auth/drive.metadata.readonly"

    static func main() async {
        guard CommandLine.arguments.count == 2 else { return self.fail("usage: drive-list client_secret.json") }
        do {
            try await self.list(clientFile: CommandLine.arguments[1])
        } catch let error as any ErrorGuidance {
            self.fail("\(error). \(error.recoverySuggestion ?? "")")
        } catch {
            self.fail("\(error)")
        }
    }

    private static func list(clientFile: String) async throws {
        let signIn = try await SignIn(.google(clientFile: clientFile))
        let session = try await signIn.restoreOrSignIn(scopes: [.openID, .email, self.drive])
        guard session.grantedScopes.contains(self.drive) else {
            return self.fail("Access to Drive was not granted, so there are no files to list.")
        }
        let request = try HTTPRequest(url: "https://www.googleapis.com/drive/v3/files?pageSize=20&fields=files(name)")
        let page = try JSONDecoder().decode(Page.self, from: Data(try await session.fetcher.data(for: request)))
        for file in page.files { print(file.name) }
        // Let a refresh in progress finish before the program exits.
        await session.settle()
    }

    private static func fail(_ text: String) {
        FileHandle.standardError.write(Data("drive-list: \(text)\n".utf8))
        exit(1)
    }

    private struct Page: Decodable {
        struct File: Decodable {
            let name: String
        }

        let files: [File]
    }
}
