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

/// The state that all parts of the program share.
struct Backend: Sendable {
    /// The scopes for the user's identity and their Drive.
    static let scopes: [Scope] = [.openID, .email, DriveV3.Scope.driveReadonly]

    let settings: BackendSettings
    let signIn: SignIn
    let web: WebSignIn
    let visitors: Visitors
    let logger: Logger
    /// The store that the readiness check reads from.
    let transients: any TransientStore

    init(_ settings: BackendSettings, logger: Logger) async throws {
        let insecure: Insecure = settings.allowsLoopbackHTTP ? .loopbackHTTP : []
        let store = try Self.store(settings)
        self.settings = settings
        self.logger = logger
        self.signIn = SignIn(
            try .google(clientFile: settings.clientFile, insecure: insecure),
            transport: PlatformDefaults.transport(insecure: insecure),
            store: store
        )
        self.web = WebSignIn(
            self.signIn,
            redirectURI: try RedirectURI(settings.publicURL + "/callback"),
            attempts: store
        )
        self.visitors = Visitors(store: store)
        self.transients = store
        // Do not start if sessions cannot be saved: users would give consent for nothing.
        try await store.probe()
    }

    /// Returns a PostgreSQL store, which supports any number of instances, or else an SQLite store for one machine.
    ///
    /// PostgreSQL is used if `DATABASE_URL` is set.
    private static func store(_ settings: BackendSettings) throws -> any SessionStore & TransientStore {
        guard let databaseURL = settings.databaseURL else {
            guard let key = settings.storeKey else { return SQLiteStore(path: settings.databasePath) }
            return SQLiteStore(path: settings.databasePath, keys: StoreKeys(key))
        }
        guard let key = settings.storeKey else {
            throw InvalidRequestError(
                "STORE_KEY",
                reason: "required for PostgreSQL; create a key for all instances with 'openssl rand -base64 32'"
            )
        }
        return try PostgreSQLStore(
            databaseURL,
            keys: StoreKeys(key),
            connections: 8,
            leaseDuration: .seconds(settings.leaseSeconds)
        )
    }

    /// Returns the saved session of the user with the given subject, or nil if there is none.
    func session(of subject: String) async throws -> OAuthSession? {
        let provider = self.signIn.provider
        let account = Account(issuer: provider.issuer.url, clientID: provider.client.clientID, subject: subject)
        return try await self.signIn.restore(account)
    }

    /// Returns the user's 20 most recently modified files.
    func files(of session: OAuthSession) async throws -> [DriveV3.File] {
        let drive = DriveV3(session: session, settings: APISettings(rootURL: self.settings.apiRootURL))
        let list = drive.files.list(orderBy: "modifiedTime desc", pageSize: 20)
        // Tessera only creates spans for its requests to the provider. This span covers the API call.
        return try await withSpan("drive.files.list", ofKind: .client) { _ in
            try await list.fields("files(name,modifiedTime)").execute().files ?? []
        }
    }
}
