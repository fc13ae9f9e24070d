// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import GoogleDriveV3
import Logging
import Tessera
import TesseraDefaults
import TesseraGoogle
import TesseraGoogleAPI
import TesseraOAuth
import TesseraPostgreSQL
import TesseraSQLite
import TesseraStores
import Tracing

/// What every part of the program works with.
struct Backend: Sendable {
    /// Who the person is, and their Drive.
    static let scopes: [Scope] = [.openID, .email, DriveV3.Scope.driveReadonly]

    let settings: BackendSettings
    let signIn: SignIn
    let web: WebSignIn
    let visitors: Visitors
    let logger: Logger
    /// What answers whether the database does.
    let transients: any TransientStore

    init(_ settings: BackendSettings, logger: Logger) async throws {
        let insecure: Insecure = settings.allowsLoopbackHTTP ? .loopbackHTTP : []
        let store = try Self.store(settings)
        self.settings = settings
        self.logger = logger
        self.signIn = SignIn(
            try .google(clientFile: settings.clientFile, insecure: insecure),
            transport: PlatformDefaults.transport(permitting: insecure),
            store: store
        )
        self.web = WebSignIn(
            self.signIn,
            redirectURI: try RedirectURI(settings.publicURL + "/callback"),
            attempts: store
        )
        self.visitors = Visitors(store: store)
        self.transients = store
        // Nobody should consent to what cannot be kept: better no server than that.
        try await store.probe()
    }

    /// PostgreSQL where the environment names one, for any number of instances; else SQLite, for those of one machine.
    private static func store(_ settings: BackendSettings) throws -> any SessionStore & TransientStore {
        guard let databaseURL = settings.databaseURL else {
            guard let key = settings.storeKey else { return SQLiteStore(path: settings.databasePath) }
            return SQLiteStore(path: settings.databasePath, keys: StoreKeys(key))
        }
        guard let key = settings.storeKey else {
            throw InvalidRequestError(
                "STORE_KEY",
                reason: "every instance needs the same key; make one with: openssl rand -base64 32"
            )
        }
        return try PostgreSQLStore(
            databaseURL,
            keys: StoreKeys(key),
            connections: 8,
            leaseDuration: .seconds(settings.leaseSeconds)
        )
    }

    /// The session of somebody who signed in, however long ago; nil where there is none any more.
    func session(of subject: String) async throws -> OAuthSession? {
        let provider = self.signIn.provider
        let account = Account(issuer: provider.issuer.url, clientID: provider.client.clientID, subject: subject)
        return try await self.signIn.restore(account)
    }

    /// The names of somebody's files, the newest first.
    func files(of session: OAuthSession) async throws -> [DriveV3.File] {
        let drive = DriveV3(session: session, settings: APISettings(rootURL: self.settings.apiRootURL))
        let list = drive.files.list(orderBy: "modifiedTime desc", pageSize: 20)
        // Tessera's spans are those of its exchanges with the provider; a call of the API is this program's own.
        return try await withSpan("drive.files.list", ofKind: .client) { _ in
            try await list.fields("files(name,modifiedTime)").execute().files ?? []
        }
    }
}
