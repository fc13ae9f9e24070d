// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Tessera
internal import TesseraJSON
internal import TesseraStores
internal import TesseraUserAgents

/// A client that `tessera register` registered, stored along with the sessions and protected in the same way.
///
/// Each issuer has at most one, stored as an account with a reserved name that no session can have. The record's access
/// token contains the whole registration, including its secrets.
struct StoredRegistration: Sendable {
    let registration: ClientRegistration
    /// The provider, with its metadata and the registered client.
    let provider: Provider

    init(_ registration: ClientRegistration, at provider: Provider) {
        self.registration = registration
        var provider = provider
        provider.client = registration.client
        self.provider = provider
    }

    /// Reads a registration from a record that ``record(generation:)`` created.
    init(_ record: SessionRecord, location: String) throws {
        guard let stored = record.tokens?.accessToken, let metadata = record.provider.metadata else {
            throw StoreError(.corrupt, location: location)
        }
        let registration = try stored.withUnredacted { try ClientRegistration(stored: Array($0.utf8), at: metadata) }
        self.init(registration, at: record.provider)
    }

    private static let reserved = "tessera:registration"

    /// Returns the account that a registration with an issuer is stored under.
    static func account(_ issuer: String) -> Account {
        Account(issuer: issuer, clientID: Self.reserved, subject: Self.reserved)
    }

    /// Returns whether an account in the store is a registration instead of a session.
    static func isStored(as account: Account) -> Bool { account == Self.account(account.issuer) }

    /// Returns whether a client identifier is the reserved name.
    static func isReserved(_ clientID: String) -> Bool { clientID == Self.reserved }

    func record(generation: Int64) -> SessionRecord {
        SessionRecord(
            account: Self.account(self.provider.issuer.url),
            generation: generation,
            tokens: TokenSet(
                accessToken: Secret(self.registration.document.text),
                obtainedAt: WallClock.now,
                lifetime: nil,
                refreshToken: nil,
                idToken: nil
            ),
            grantedScopes: GrantedScopes(requested: [], granted: []),
            identity: Identity(),
            provider: self.provider,
            authorizedOrigins: [],
            history: SessionHistory(consentedAt: WallClock.now)
        )
    }

    /// The first registered redirect URI with a loopback address.
    ///
    /// If it has no port, a random port is used.
    var loopbackRedirectURI: String? {
        self.registration.metadata.redirectURIs?.first { (try? LoopbackRedirect(redirectURI: $0)) != nil }
    }
}

extension SessionCatalog {
    /// Returns the client that is registered with an issuer, or nil if no client is registered.
    func registration(at issuer: String) async throws -> StoredRegistration? {
        try await self.store.load(StoredRegistration.account(issuer))
            .map { try StoredRegistration($0, location: self.uri.description) }
    }

    /// Returns the redirect URI that a session signed in with, or nil for any loopback address with a random port.
    func redirectURI(of record: SessionRecord) async throws -> String? {
        if let redirectURI = record.redirectURI { return redirectURI }
        // Earlier versions stored it only with the registration.
        guard let stored = try await self.registration(at: record.account.issuer),
            stored.registration.clientID == record.account.clientID
        else { return nil }
        return stored.loopbackRedirectURI
    }

    /// Saves a registration, replacing an existing one.
    func save(_ registration: StoredRegistration) async throws {
        let account = StoredRegistration.account(registration.provider.issuer.url)
        try await self.store.update(account) { entry in
            // An unreadable registration is treated as missing.
            let generation = (try? await entry.load())?.generation ?? 0
            try await entry.save(registration.record(generation: generation + 1))
        }
    }

    /// Removes the registration with an issuer.
    func forgetRegistration(at issuer: String) async throws {
        try await self.store.remove(StoredRegistration.account(issuer))
    }
}

/// A registration as printed by `tessera register`, without secrets.
struct RegistrationReport: Sendable {
    let registration: ClientRegistration
    let issuer: String
    let store: String

    init(_ registration: ClientRegistration, issuer: String, store: String) {
        self.registration = registration
        self.issuer = issuer
        self.store = store
    }

    var text: TerminalText {
        let metadata = self.registration.metadata
        var table = FieldTable()
        table.add("Client", self.registration.clientID)
        table.add("Name", metadata.clientName)
        table.add("Provider", self.issuer)
        table.add("Redirects", metadata.redirectURIs ?? [])
        table.add("Proof", metadata.tokenEndpointAuthMethod ?? "default for the provider")
        table.add("Secret", self.secret)
        table.add("Managed", self.isManaged ? "yes: 'tessera register --delete' deletes it" : "no")
        table.add("Stored in", self.store)
        table.add("Sign in", "tessera login --issuer \(self.issuer)")
        return table.text
    }

    private var isManaged: Bool { self.registration.registrationClientURI != nil }

    private var secret: String {
        guard self.registration.clientSecret != nil else { return "none" }
        guard let end = self.registration.clientSecretExpiresAt else { return "stored; does not expire" }
        let now = WallClock.now
        return "stored; \(end > now ? "expires" : "expired") \(TimeText.relative(end, to: now))"
    }

    var members: [JSONMember] {
        let metadata = self.registration.metadata
        return [
            JSONMember(name: "issuer", value: .string(self.issuer)),
            JSONMember(name: "clientID", value: .string(self.registration.clientID)),
            JSONMember(name: "name", value: AccountReport.text(metadata.clientName)),
            JSONMember(name: "redirectURIs", value: .array((metadata.redirectURIs ?? []).map { .string($0) })),
            JSONMember(name: "authMethod", value: AccountReport.text(metadata.tokenEndpointAuthMethod)),
            JSONMember(name: "hasSecret", value: .bool(self.registration.clientSecret != nil)),
            JSONMember(name: "secretExpiresAt", value: TimeText.json(self.registration.clientSecretExpiresAt)),
            JSONMember(name: "managed", value: .bool(self.isManaged)),
            JSONMember(name: "store", value: .string(self.store)),
        ]
    }
}
