// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
import HTTPTypes
import Tessera
import TesseraDefaults
import TesseraFetch
import TesseraGoogle
import TesseraOAuth
import TesseraUserAgents

/// A desktop program that signs the user in with Google and shows the owner of the Drive in a notification.
///
/// A program with a graphical interface would call the same functions from its buttons. The redirect arrives through
/// the URL scheme that the program is registered for, or at a loopback address if `--scheme` is omitted.
@main
enum DesktopNotes {
    static func main() async {
        // The desktop starts a second process with the redirect URL. That process forwards the URL and exits.
        if RedirectForwarding().deliver(CommandLine.arguments) { return }
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            try await self.run(options)
        } catch let error as any ErrorGuidance {
            self.fail("\(error). \(error.recoverySuggestion ?? "")")
        } catch {
            self.fail("\(error.localizedDescription)")
        }
    }

    private static func run(_ options: Options) async throws {
        let provider = try Provider.google(clientFile: options.clientFile, insecure: .loopbackHTTP)
        let signIn = SignIn(
            provider,
            transport: PlatformDefaults.transport(insecure: .loopbackHTTP),
            store: try await StoreChoice.forSignIn().uri.makeStore(),
            userAgent: self.userAgent(options)
        )
        let drive: Scope = "https://www.googleapis.com/auth/drive.metadata.readonly"
        let session = try await signIn.restoreOrSignIn(scopes: [.openID, .email, drive])
        guard session.grantedScopes.contains(drive) else {
            return self.fail("Access to Drive was not granted, so there is nothing to show.")
        }
        let request = try HTTPRequest(url: options.drive + "/about?fields=user")
        let about = try JSONDecoder().decode(About.self, from: Data(try await session.fetcher.data(for: request)))
        DesktopNotification.show("Signed in", "Your Drive belongs to \(about.user.emailAddress).")
        await session.settle()
    }

    private static func userAgent(_ options: Options) -> any UserAgent {
        guard let scheme = options.scheme else { return PlatformDefaults.userAgent() }
        return PrivateSchemeBrowser(redirectURI: scheme + ":/callback")
    }

    private static func fail(_ text: String) {
        FileHandle.standardError.write(Data("desktop-notes: \(text)\n".utf8))
        exit(1)
    }

    private struct About: Decodable {
        struct User: Decodable {
            let emailAddress: String
        }

        let user: User
    }
}
