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

    /// 256 random bits as text.
    func randomText() -> String { Base64URL.encode(self.options.randomBytes(32)) }

    func account(_ subject: String) -> LocalProviderAccount? {
        self.options.accounts.first { $0.subject == subject }
    }

    /// The account that a login hint names: an email address, in any case, or a subject.
    func account(hint: String) -> LocalProviderAccount? {
        self.options.accounts.first { $0.subject == hint || $0.email.lowercased() == hint.lowercased() }
    }

    func client(_ id: String) -> LocalProviderClient? { self.options.clients.first { $0.id == id } }

    /// Ends every token that came from one authorization.
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

    /// Ends every token, code and consent.
    mutating func revokeAll() {
        self.consents = [:]
        self.refreshTokens = [:]
        self.codes.removeAll()
        self.accessTokens.removeAll()
    }

    /// Ends every token of an account at a client, and forgets the consent.
    mutating func revoke(_ grant: GrantKey) {
        self.consents[grant] = nil
        self.refreshTokens = self.refreshTokens.filter { GrantKey($0.value) != grant }
        self.accessTokens.removeAll { GrantKey($0) == grant }
    }
}

extension GrantKey {
    init(_ token: RefreshToken) { self.init(clientID: token.clientID, subject: token.subject) }
    init(_ token: AccessToken) { self.init(clientID: token.clientID, subject: token.subject) }
}
#endif
