// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
import HTTPTypes
import Tessera
import TesseraDefaults
import TesseraFetch
import TesseraGoogle

/// `drive-list client_secret.json` lists the names of your Drive's files; the second time without asking you.
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
        guard session.grant.contains(self.drive) else {
            return self.fail("You unticked Drive; there is nothing to list then.")
        }
        let request = try HTTPRequest(url: "https://www.googleapis.com/drive/v3/files?pageSize=20&fields=files(name)")
        let page = try JSONDecoder().decode(Page.self, from: Data(try await session.fetcher.data(for: request)))
        for file in page.files { print(file.name) }
        // A refresh that began just now ends before the program does.
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
