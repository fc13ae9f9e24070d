// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import GoogleDriveV3
internal import Tessera
internal import TesseraGoogleAPI
internal import TesseraOAuth

// guide: away-app
/// What an app does whose server is to act for its people, too.
struct FileApp: Sendable {
    let signIn: SignIn
    /// The server's client identifier.
    let server: String

    /// Signs a person in: the session is the app's, the code and the ID token are for the server.
    func begin() async throws -> (session: OAuthSession, serverAuthCode: Secret?, idToken: Secret?) {
        let scopes: [Scope] = [.openID, .email, DriveV3.Scope.driveReadonly]
        let answer = try await self.signIn.signIn(scopes: scopes, forServer: self.server)
        return (answer.session, answer.serverAuthCode, answer.idToken)
    }
}
// end

// guide: away-server
/// What a server does for people who are not there.
struct FileServer: Sendable {
    let signIn: SignIn
    /// The client identifiers of the apps.
    let apps: [String]
    var settings = APISettings()

    /// An app sends what it got from its own sign-in: both are checked, and the session is kept.
    func take(serverAuthCode: String, idToken: String) async throws -> Account {
        let person = try await self.signIn.verify(Secret(idToken), fromApps: self.apps)
        let session = try await self.signIn.redeem(ServerAuthCode(Secret(serverAuthCode)), of: person)
        return session.account
    }

    /// Hours or weeks later, in any process: nobody is asked.
    func fileNames(of account: Account) async throws -> [String] {
        guard let session = try await self.signIn.restore(account) else { return [] }
        let drive = DriveV3(session: session, settings: self.settings)
        return try await drive.files.list(pageSize: 20).execute().files?.compactMap(\.name) ?? []
    }
}
// end

// guide: away-site
/// The same server's own pages, whichever of its processes answers.
struct FileSite: Sendable {
    let web: WebSignIn

    /// Where a browser is sent that wants to sign in; `browser` is the value of its cookie.
    func signIn(_ browser: Secret, returnTo: String?) async throws -> String {
        let path = returnTo.flatMap { LocalPath($0) } ?? .root
        let scopes: [Scope] = [.openID, .email, DriveV3.Scope.driveReadonly]
        return try await self.web.begin(scopes: scopes, in: browser, returningTo: path)
    }

    /// The redirect URI was asked for: who it is, and where they wanted to go.
    func callback(_ browser: Secret, url: String) async throws -> (Account, LocalPath) {
        let arrival = try await self.web.finish(url, in: browser)
        return (arrival.session.account, arrival.path)
    }
}
// end
