// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import GoogleDriveV3
internal import Tessera
internal import TesseraDefaults
internal import TesseraGoogle
internal import TesseraGoogleAPI
internal import TesseraOAuth

// guide: away-process
/// The values that all requests of a server process share.
struct FileProcess: Sendable {
    let signIn: SignIn
    let web: WebSignIn

    /// Creates the values at the start of the process, with the store that all processes share.
    init(clientFile: String, site: String, store: some SessionStore & TransientStore) throws {
        self.signIn = SignIn(
            try .google(clientFile: clientFile),
            transport: PlatformDefaults.transport(),
            store: store
        )
        self.web = WebSignIn(self.signIn, redirectURI: try RedirectURI(site + "/callback"), attempts: store)
    }
}
// end

// guide: away-app
/// An app that obtains an authorization code for its backend server.
struct FileApp: Sendable {
    let signIn: SignIn
    /// The server's client ID.
    let server: String

    /// Signs in a user.
    ///
    /// The session is for the app, and the code and the ID token are for the server.
    func begin() async throws -> (session: OAuthSession, serverAuthCode: Secret?, idToken: Secret?) {
        let scopes: [Scope] = [.openID, .email, DriveV3.Scope.driveReadonly]
        let response = try await self.signIn.signIn(scopes: scopes, forServer: self.server)
        return (response.session, response.serverAuthCode, response.idToken)
    }
}
// end

// guide: away-server
/// A server that calls an API while its users are away.
struct FileServer: Sendable {
    let signIn: SignIn
    /// The client IDs of the apps.
    let apps: [String]
    var settings = APISettings()

    /// Verifies the values that an app sent after its sign-in, and saves a session for the server.
    func take(serverAuthCode: String, idToken: String) async throws -> Account {
        let user = try await self.signIn.verify(Secret(idToken), fromApps: self.apps)
        let session = try await self.signIn.redeem(ServerAuthCode(Secret(serverAuthCode)), of: user)
        return session.account
    }

    /// Returns the account of a user, whose subject the server stores with its own users.
    func account(subject: String) -> Account {
        let provider = self.signIn.provider
        return Account(issuer: provider.issuer.url, clientID: provider.client.clientID, subject: subject)
    }

    /// Lists the user's files hours or weeks later, in any process and without a new sign-in.
    func fileNames(of account: Account) async throws -> [String] {
        guard let session = try await self.signIn.restore(account) else { return [] }
        let drive = DriveV3(session: session, settings: self.settings)
        return try await drive.files.list(pageSize: 20).execute().files?.compactMap(\.name) ?? []
    }
}
// end

// guide: away-site
/// The sign-in pages of a website, in any of its processes.
struct FileSite: Sendable {
    let web: WebSignIn

    /// Returns the URL to redirect the browser to.
    ///
    /// `browser` is the value of its cookie.
    func signIn(_ browser: Secret, returnTo: String?) async throws -> String {
        let path = returnTo.flatMap { LocalPath($0) } ?? .root
        let scopes: [Scope] = [.openID, .email, DriveV3.Scope.driveReadonly]
        return try await self.web.begin(scopes: scopes, in: browser, returningTo: path)
    }

    /// Handles the redirect, and returns the user's account and the page to show next.
    func callback(_ browser: Secret, url: String) async throws -> (Account, LocalPath) {
        let result = try await self.web.finish(url, in: browser)
        return (result.session.account, result.path)
    }
}
// end
