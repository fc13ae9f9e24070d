// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJOSE

/// Everything that the provider remembers, as one value; each endpoint is a function of it and of a request.
struct ProviderState: Sendable {
    /// How long a person may take on the pages, in seconds.
    static let attemptLifetime: Int64 = 600
    /// How long a code lives, in seconds.
    static let codeLifetime: Int64 = 300
    /// How long a refresh token may lie unused, in seconds: six months.
    static let idleLifetime: Int64 = 181 * 86_400
    /// How long a grant of a client in testing lives, in seconds.
    static let testingLifetime: Int64 = 7 * 86_400
    /// How many attempts, codes, and remembered browsers are kept.
    static let entryLimit = 1000

    let options: LocalProviderOptions
    let scopeCatalog: ScopeCatalog
    var behaviour: LocalProviderOptions.Behaviour
    /// Where the provider is reached: its issuer, without a slash at the end.
    var baseURL = ""
    var keys: SigningKeys
    /// The time of the request that is answered, in seconds since 1970.
    var now: Int64 = 0
    var attempts = ExpiringTable<AuthorizationAttempt>(limit: Self.entryLimit)
    var codes = ExpiringTable<AuthorizationCode>(limit: Self.entryLimit)
    var browsers = ExpiringTable<RememberedBrowser>(limit: Self.entryLimit)
    var accessTokens = ExpiringTable<AccessToken>(limit: 100_000)
    var refreshTokens: [String: RefreshToken] = [:]
    var consents: [GrantKey: Set<String>] = [:]
    var nextFamily = 0
    var tokenRequestCount = 0
    var refreshRequestCount = 0

    init(options: LocalProviderOptions) throws {
        self.options = options
        self.scopeCatalog = ScopeCatalog(additional: options.additionalScopes)
        self.behaviour = options.behaviour
        self.keys = try SigningKeys(algorithm: options.signingAlgorithm)
    }

    func randomText() -> String { Base64URL.encode(self.options.randomBytes(32)) }

    func account(_ subject: String) -> LocalProviderAccount? { self.options.accounts.first { $0.subject == subject } }

    /// The account that a login hint names: an email address, in any case, or a subject.
    func account(hint: String) -> LocalProviderAccount? {
        self.options.accounts.first { $0.subject == hint || $0.email.lowercased() == hint.lowercased() }
    }

    func client(_ id: String) -> LocalProviderClient? { self.options.clients.first { $0.id == id } }

    mutating func revoke(family: Int) {
        self.refreshTokens = self.refreshTokens.filter { $0.value.family != family }
        self.accessTokens.removeAll { $0.family == family }
    }

    /// Moves the times of every refresh token back.
    mutating func ageGrants(by seconds: Int64) {
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

    /// Ends every token of an account at a client, and forgets the consent.
    mutating func revoke(_ grant: GrantKey) {
        self.consents[grant] = nil
        self.refreshTokens = self.refreshTokens.filter { $0.value.authorization.key != grant }
        self.accessTokens.removeAll { $0.authorization.key == grant }
    }
}

/// One person's way through the pages, from a checked authorization request to the redirect.
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
    /// The client of the program's server, which gets a separate code.
    var audience: String?
    var deadline: Int64
    /// The account, once it is chosen, and when.
    var subject: String?
    var authenticatedAt: Int64?
}

/// What an account granted to a client, by one sign-in.
struct Authorization: Sendable {
    var clientID: String
    var subject: String
    var scopes: [String]
    var isOffline: Bool
    /// The client of the program's server, which gets a separate code and is the audience of ID tokens.
    var audience: String?
    var nonce: String?
    var authenticatedAt: Int64?

    var key: GrantKey { GrantKey(clientID: self.clientID, subject: self.subject) }
}

struct AuthorizationCode: Sendable {
    var authorization: Authorization
    /// Empty for a server's code, which no redirect brings.
    var redirectURI: String
    /// Nil for a server's code.
    var codeChallenge: String?
    var deadline: Int64
    /// The family of the tokens that the code gave; nil while it is unused.
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
    /// When it was used for the last time; made, before the first.
    var usedAt: Int64
    /// When the grant ends; nil for never.
    var end: Int64?
    /// Whether a newer one took its place: used again, it ends the family (RFC 9700, section 4.14.2).
    var isReplaced = false
}

struct GrantKey: Sendable, Hashable {
    var clientID: String
    var subject: String
}

/// Who signed in at one browser, and when, in seconds since 1970.
struct RememberedBrowser: Sendable {
    static let cookieName = "tessera_browser"
    /// How long a browser is remembered, in seconds.
    static let lifetime: Int64 = 86_400

    var accounts: [String: Int64] = [:]
}

/// The keys that sign ID tokens: the newest signs, older ones stay published for a while.
struct SigningKeys: Sendable {
    /// How long a replaced key stays published, in seconds.
    static let retention: Int64 = 7200

    private(set) var current: JWSSigningKey
    private var retired: [(key: JWSSigningKey, until: Int64)] = []

    init(algorithm: JWSAlgorithm) throws { self.current = try JWSSigningKey.generate(algorithm) }

    /// Takes a new key; the old one stays published until its time is over, or is gone at once.
    mutating func rotate(to key: JWSSigningKey, at now: Int64, keepingOld: Bool) {
        self.retired.removeAll { $0.until <= now || !keepingOld }
        if keepingOld { self.retired.append((self.current, now + Self.retention)) }
        self.current = key
    }

    /// The keys that verify, newest first.
    func published(at now: Int64) -> [JWSSigningKey] {
        [self.current] + self.retired.reversed().filter { $0.until > now }.map(\.key)
    }
}

/// Entries that end at a time of their own; bounded, the oldest give way.
struct ExpiringTable<Entry: Sendable>: Sendable {
    private var entries: [String: (entry: Entry, deadline: Int64, number: Int)] = [:]
    private var order: ArraySlice<(number: Int, key: String)> = []
    private var nextNumber = 0
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// The entry, unless its time is over.
    func entry(_ key: String, at now: Int64 = 0) -> Entry? {
        self.entries[key].flatMap { $0.deadline > now ? $0.entry : nil }
    }

    /// Keeps an entry; returns those that had to go for it.
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
