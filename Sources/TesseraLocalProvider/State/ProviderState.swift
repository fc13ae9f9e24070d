// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJOSE

/// The provider's complete state as a value, on which the endpoints operate.
struct ProviderState: Sendable {
    /// The time limit in seconds for completing the sign-in pages.
    static let attemptLifetime: Int64 = 600
    /// The lifetime of an authorization code in seconds.
    static let codeLifetime: Int64 = 300
    /// The time in seconds after which an unused refresh token expires, which is six months.
    static let idleLifetime: Int64 = 181 * 86_400
    /// The lifetime in seconds of a grant to a client whose publishing status is "testing".
    static let testingLifetime: Int64 = 7 * 86_400
    /// The maximum number of sign-in attempts, codes and remembered browsers.
    static let entryLimit = 1000

    let options: LocalProviderOptions
    let scopeCatalog: ScopeCatalog
    var behavior: LocalProviderOptions.Behavior
    /// The provider's URL and issuer identifier, without a trailing slash.
    var baseURL = ""
    var keys: SigningKeys
    /// The state of the cloud endpoints, or `nil` if there are none.
    var cloud: CloudState?
    /// The time of the current request in seconds since 1970.
    var now: Int64 = 0
    var attempts = ExpiringTable<AuthorizationAttempt>(limit: Self.entryLimit)
    var codes = ExpiringTable<AuthorizationCode>(limit: Self.entryLimit)
    var browsers = ExpiringTable<RememberedBrowser>(limit: Self.entryLimit)
    var accessTokens = ExpiringTable<AccessToken>(limit: 100_000)
    var refreshTokens: [String: RefreshToken] = [:]
    var consents: [ConsentKey: Set<String>] = [:]
    var nextFamily = 0
    var tokenRequestCount = 0
    var refreshRequestCount = 0

    init(options: LocalProviderOptions) throws {
        self.options = options
        self.scopeCatalog = ScopeCatalog(additional: options.additionalScopes)
        self.behavior = options.behavior
        self.keys = try SigningKeys(algorithm: options.signingAlgorithm)
        self.cloud = try options.cloud.map(CloudState.init)
        self.addCloudRefreshTokens()
    }

    func randomText() -> String { Base64URL.encode(self.options.randomBytes(32)) }

    /// Returns the user or service account with a subject identifier.
    func account(_ subject: String) -> LocalProviderAccount? {
        self.options.accounts.first { $0.subject == subject } ?? self.cloud?.account(subject)?.asUser
    }

    /// Returns the account for a login hint, which is a case-insensitive email address or a subject.
    func account(hint: String) -> LocalProviderAccount? {
        self.options.accounts.first { $0.subject == hint || $0.email.lowercased() == hint.lowercased() }
    }

    func client(_ id: String) -> LocalProviderClient? { self.options.clients.first { $0.id == id } }

    mutating func revoke(family: Int) {
        self.refreshTokens = self.refreshTokens.filter { $0.value.family != family }
        self.accessTokens.removeAll { $0.family == family }
    }

    /// Backdates all refresh tokens.
    mutating func ageRefreshTokens(by seconds: Int64) {
        self.refreshTokens = self.refreshTokens.mapValues { token in
            var older = token
            older.usedAt -= seconds
            older.end = token.end.map { $0 - seconds }
            return older
        }
    }

    mutating func revokeAll() {
        self.consents = [:]
        self.refreshTokens = [:]
        self.codes.removeAll()
        self.accessTokens.removeAll()
    }

    /// Revokes all tokens that an account has granted to a client, and removes the account's consent.
    mutating func revoke(_ grant: ConsentKey) {
        self.consents[grant] = nil
        self.refreshTokens = self.refreshTokens.filter { $0.value.authorization.key != grant }
        self.accessTokens.removeAll { $0.authorization.key == grant }
    }
}

/// A user's attempt to sign in, from the validated authorization request to the redirect.
struct AuthorizationAttempt: Sendable {
    var client: LocalProviderClient
    var redirectURI: String
    var scopes: [String]
    var state: String?
    var nonce: String?
    var codeChallenge: String
    var isOffline: Bool
    var includesGrantedScopes: Bool
    var prompts: Set<String>
    var loginHint: String?
    var hostedDomain: String?
    var maximumAge: Int64?
    /// The client ID of the app's server, which receives its own code.
    var audience: String?
    var deadline: Int64
    /// The account that the user has chosen, or `nil` if the user has not chosen one yet.
    var subject: String?
    var authenticatedAt: Int64?
}

/// The access that a user granted to a client in one sign-in.
struct Authorization: Sendable {
    var clientID: String
    var subject: String
    var scopes: [String]
    var isOffline: Bool
    /// The client ID of the app's server, which receives its own code and is the audience of ID tokens.
    var audience: String?
    var nonce: String?
    var authenticatedAt: Int64?

    var key: ConsentKey { ConsentKey(clientID: self.clientID, subject: self.subject) }
}

struct AuthorizationCode: Sendable {
    var authorization: Authorization
    /// The redirect URI, or an empty string for a server code, which is not delivered in a redirect.
    var redirectURI: String
    /// The code challenge, or `nil` for a server code.
    var codeChallenge: String?
    var deadline: Int64
    /// The family of tokens issued for the code, or `nil` if the code has not been used.
    var usedForFamily: Int?
}

struct AccessToken: Sendable {
    var authorization: Authorization
    var deadline: Int64
    var family: Int
}

struct RefreshToken: Sendable {
    var authorization: Authorization
    var family: Int
    /// The time at which the token was last used, or at which it was issued if it has not been used.
    var usedAt: Int64
    /// The time at which the grant expires, or `nil` if it never expires.
    var end: Int64?
    /// Whether the token has been replaced.
    ///
    /// If it is used again, its family is revoked (RFC 9700, section 4.14.2).
    var isReplaced = false
}

struct ConsentKey: Sendable, Hashable {
    var clientID: String
    var subject: String
}

/// The accounts that have signed in with a browser, with the times in seconds since 1970.
struct RememberedBrowser: Sendable {
    static let cookieName = "tessera_browser"
    /// How long a browser is remembered, in seconds.
    static let lifetime: Int64 = 86_400

    var accounts: [String: Int64] = [:]
}

/// The keys for ID tokens, which are the current signing key and older keys that stay published for a while.
struct SigningKeys: Sendable {
    /// How long a replaced key stays published, in seconds.
    static let retention: Int64 = 7200

    private(set) var current: JWSSigningKey
    private var retired: [(key: JWSSigningKey, until: Int64)] = []

    init(algorithm: JWSAlgorithm) throws { self.current = try JWSSigningKey.generate(algorithm) }

    /// Replaces the signing key.
    ///
    /// The old key stays published for ``retention`` unless `keepingOld` is false.
    mutating func rotate(to key: JWSSigningKey, at now: Int64, keepingOld: Bool) {
        self.retired.removeAll { $0.until <= now || !keepingOld }
        if keepingOld { self.retired.append((self.current, now + Self.retention)) }
        self.current = key
    }

    /// Returns the public verification keys, newest first.
    func published(at now: Int64) -> [JWSSigningKey] {
        [self.current] + self.retired.reversed().filter { $0.until > now }.map(\.key)
    }
}

/// A bounded table whose entries expire.
///
/// Once the table is full, the oldest entries are removed.
struct ExpiringTable<Entry: Sendable>: Sendable {
    private var entries: [String: (entry: Entry, deadline: Int64, number: Int)] = [:]
    private var order: ArraySlice<(number: Int, key: String)> = []
    private var nextNumber = 0
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Returns the entry unless it has expired.
    func entry(_ key: String, at now: Int64 = 0) -> Entry? {
        self.entries[key].flatMap { $0.deadline > now ? $0.entry : nil }
    }

    /// Adds an entry and returns the entries that were removed to make room for it.
    @discardableResult
    mutating func set(_ key: String, _ entry: Entry, until deadline: Int64 = .max, at now: Int64 = 0) -> [Entry] {
        var lost: [Entry] = []
        self.entries[key] = (entry, deadline, self.nextNumber)
        self.order.append((self.nextNumber, key))
        self.nextNumber += 1
        while let first = self.order.first {
            let held = self.entries[first.key]
            let isCurrent = held?.number == first.number
            guard !isCurrent || self.entries.count > self.limit || (held?.deadline ?? 0) <= now else { break }
            if isCurrent, let entry = self.entries.removeValue(forKey: first.key)?.entry { lost.append(entry) }
            self.order.removeFirst()
        }
        return lost
    }

    @discardableResult
    mutating func remove(_ key: String, at now: Int64 = 0) -> Entry? {
        let entry = self.entry(key, at: now)
        self.entries[key] = nil
        return entry
    }

    mutating func removeAll(where isUnwanted: (Entry) -> Bool = { _ in true }) {
        self.entries = self.entries.filter { !isUnwanted($0.value.entry) }
    }

    mutating func expireAll() { for key in self.entries.keys { self.entries[key]?.deadline = .min } }
}
#endif
