// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && PostgreSQL
internal import Foundation
internal import Tessera
internal import TestTransport
internal import TesseraGoogle
internal import TesseraJOSE
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import TesseraPostgreSQL
internal import TesseraStores
internal import TestPrograms

/// The local provider, the database and the settings of a set of backend instances.
///
/// Its files are removed when the value is deallocated.
final class BackendEnvironment: Sendable {
    static let transport = TestTransport.make()

    let provider: LocalProvider
    let ports: [UInt16]
    private let directory: URL
    private let server: PostgreSQLInstance?
    private let settings: [String: String]
    private let key: StoreKey

    /// The public URL of the site, which is the address of the first instance.
    var publicURL: String { "http://127.0.0.1:\(self.ports[0])" }

    init(
        _ options: LocalProviderOptions = LocalProviderOptions(),
        server: PostgreSQLInstance?,
        settings: [String: String] = [:]
    ) async throws {
        self.ports = [try FreePort.find(), try FreePort.find()]
        self.directory = FileManager.default.temporaryDirectory.appending(path: "tessera-backend-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: self.directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        var options = options
        options.clients = [.web(redirectURIs: ["http://127.0.0.1:\(self.ports[0])/callback"]), .desktop]
        self.provider = try await LocalProvider.start(options)
        self.server = server
        self.settings = settings
        self.key = StoreKey.random()
        let file = self.directory.appending(path: "client_secret.json")
        try Data(self.provider.clientSecretFile.utf8).write(to: file)
    }

    deinit { try? FileManager.default.removeItem(at: self.directory) }

    /// Starts the instance with this index.
    func start(_ number: Int) async throws -> BackendInstance {
        var environment = [
            "HOME": self.directory.path,
            "CLIENT_FILE": self.directory.appending(path: "client_secret.json").path,
            "PUBLIC_URL": self.publicURL,
            "APP_CLIENTS": LocalProviderClient.desktop.id,
            "API_ROOT_URL": self.provider.baseURL,
            "ALLOW_LOOPBACK_HTTP": "true",
            "DATABASE_PATH": self.directory.appending(path: "backend.sqlite").path,
            "STORE_KEY": self.key.withUnredacted { Data($0).base64EncodedString() },
            "JOB_SECONDS": "0",
        ]
        if let server { environment["DATABASE_URL"] = server.url }
        return try await BackendInstance(
            port: self.ports[number],
            environment: environment.merging(self.settings) { $1 }
        )
    }

    /// Runs `body` with one or two instances and always stops them and the provider.
    func withInstances(_ count: Int, _ body: ([BackendInstance]) async throws -> Void) async throws {
        var instances: [BackendInstance] = []
        do {
            for number in 0..<count { instances.append(try await self.start(number)) }
            try await body(instances)
        } catch {
            for instance in instances { await instance.kill() }
            await self.provider.stop()
            throw error
        }
        for instance in instances { _ = await instance.terminate() }
        await self.provider.stop()
    }

    /// Returns the session records in PostgreSQL, read directly and not through a backend.
    func records() async throws -> [SessionRecord] {
        guard let server else { return [] }
        let store = try PostgreSQLStore(Secret(server.url), keys: StoreKeys(self.key))
        var records: [SessionRecord] = []
        for account in try await store.list() {
            if let record = try await store.load(account) { records.append(record) }
        }
        return records
    }

    /// Signs a user in at the app and returns an authorization code and an ID token for the backend.
    func signInAtApp(_ email: String) async throws -> (serverAuthCode: String, idToken: String) {
        let client = OAuthClient(
            clientID: LocalProviderClient.desktop.id,
            clientSecret: Secret(LocalProviderClient.desktop.secret)
        )
        let userAgent = WalkingUserAgent(walk: ConsentWalk(transport: Self.transport, email: email))
        let signIn = SignIn(
            try .issuer(self.provider.issuer, client: client, insecure: .loopbackHTTP),
            transport: Self.transport,
            store: InMemoryStore(),
            userAgent: userAgent
        )
        let response = try await signIn.signIn(
            scopes: [.openID, .email, "https://www.googleapis.com/auth/drive.readonly"],
            forServer: self.provider.clientID,
            options: SignInOptions(loginHint: email)
        )
        func text(_ secret: Secret?) -> String { secret?.withUnredacted { $0 } ?? "" }
        return (text(response.serverAuthCode), text(response.idToken))
    }
}
#endif
