// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import GoogleDriveV3
internal import Tessera
internal import TesseraDefaults
internal import TesseraGoogle

/// The README's program, compiled but never run, because it needs a user.
func readmeExample() async throws {
    let signIn = try await SignIn(.google(clientFile: "client_secret.json"))
    let session = try await signIn.restoreOrSignIn(scopes: [.openID, .email])

    let scope = DriveV3.Scope.driveReadonly
    if !session.grantedScopes.contains(scope) { try await signIn.addScopes([scope], to: session) }

    if session.grantedScopes.contains(scope) {
        let drive = DriveV3(session: session)
        for try await file in drive.files.list(pageSize: 100).items { print(file.name ?? "–") }
    } else {
        print("Access to Drive was not granted.")
    }
    await session.settle()  // Waits until a refresh in the background has ended.
}

/// The README's server, compiled but never run.
func readmeServerExample() {
    struct SignInRoutes {
        let web: WebSignIn

        init(_ signIn: SignIn, attempts: any TransientStore) throws {
            let redirectURI = try RedirectURI("https://app.example/callback")
            self.web = WebSignIn(signIn, redirectURI: redirectURI, attempts: attempts)
        }

        /// GET /sign-in: redirect the browser to this page. `browser` is the value of its cookie.
        func signIn(browser: Secret) async throws -> String {
            try await self.web.begin(scopes: [.openID, .email], in: browser)
        }

        /// GET /callback: `url` is the complete URL that the browser requested.
        func callback(browser: Secret, url: String) async throws -> Account {
            try await self.web.finish(url, in: browser).session.account
        }
    }
}
