// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraOAuth
internal import TesseraSupport

/// What a store keeps of one session: everything that a program needs to go on after a restart.
///
/// A value. Stores keep ``encoded()`` and read it back with ``init(decoding:place:)``; they look at nothing inside but
/// ``account`` and ``generation``.
public struct SessionRecord: Sendable, Hashable {
    /// Whose session it is.
    public var account: Account
    /// Counts the saves of this account; grows with each.
    public var generation: Int64
    /// The newest tokens, nil once the session has ended: the history stays, to explain it.
    public var tokens: TokenSet?
    /// The private key that the tokens are bound to (RFC 9449), nil for bearer tokens; part of ``encoded()``.
    public var dpopKey: DPoPKey?
    /// What was asked for and what was granted.
    public var grant: Grant
    /// What the provider said about the person.
    public var identity: Identity
    /// The provider as it was at sign-in: endpoints, client, quirks.
    public var provider: Provider {
        get { self.sharedProvider.value }
        set { self.sharedProvider = Shared(newValue) }
    }
    var sharedProvider: Shared<Provider>
    /// Where the access token may be sent.
    public var authorizedOrigins: [OriginPattern]
    /// What the access token was asked for beside the scopes (RFC 8707): sent with every refresh too.
    public var resources: [String]
    /// Claims that the ID token of the sign-in had, because the program required them (``SignInOptions/requiredClaims``).
    ///
    /// An ID token of a refresh that contradicts one ends the session. A claim that it lacks keeps its value.
    public var requiredClaims: [String: String]
    /// The redirect URI of the last consent, where the program named it (``SignInOptions/redirectURI``).
    public var redirectURI: String?
    /// When and how often.
    public var history: SessionHistory
    /// The mark of a refresh that was begun and not finished; set by the store on loading, not part of ``encoded()``.
    public var refreshMark: RefreshMark?

    /// A record.
    public init(
        account: Account,
        generation: Int64,
        tokens: TokenSet?,
        grant: Grant,
        identity: Identity,
        provider: Provider,
        authorizedOrigins: [OriginPattern],
        resources: [String] = [],
        history: SessionHistory,
        refreshMark: RefreshMark? = nil,
        dpopKey: DPoPKey? = nil,
        requiredClaims: [String: String] = [:],
        redirectURI: String? = nil
    ) {
        self.account = account
        self.generation = generation
        self.tokens = tokens
        self.grant = grant
        self.identity = identity
        self.sharedProvider = Shared(provider)
        self.authorizedOrigins = authorizedOrigins
        self.resources = resources
        self.history = history
        self.refreshMark = refreshMark
        self.dpopKey = dpopKey
        self.requiredClaims = requiredClaims
        self.redirectURI = redirectURI
    }
}

/// The tokens of a session at one moment.
public struct TokenSet: Sendable, Hashable {
    /// The access token.
    public var accessToken: Secret
    /// Its type.
    public var tokenType: TokenType
    /// When it was obtained, by the wall clock of the machine that did.
    public var obtainedAt: Date
    /// Its lifetime in seconds, nil where the provider does not say.
    public var lifetime: Int64?
    /// The refresh token, nil where the provider gave none.
    public var refreshToken: Secret?
    /// The newest ID token, validated before it came here.
    public var idToken: Secret?

    /// A set of tokens.
    public init(
        accessToken: Secret,
        tokenType: TokenType = .bearer,
        obtainedAt: Date,
        lifetime: Int64?,
        refreshToken: Secret?,
        idToken: Secret?
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.obtainedAt = obtainedAt
        self.lifetime = lifetime
        self.refreshToken = refreshToken
        self.idToken = idToken
    }

    /// When the access token ends, nil where the provider does not say.
    public var expiresAt: Date? { self.lifetime.map { self.obtainedAt.addingTimeInterval(Double($0)) } }
}

extension TokenSet {
    /// The access token of a response, alone.
    init(_ response: TokenResponse, obtainedAt: Date) {
        self.init(
            accessToken: response.accessToken,
            tokenType: response.tokenType,
            obtainedAt: obtainedAt,
            lifetime: response.expiresIn,
            refreshToken: nil,
            idToken: nil
        )
    }
}

/// The write-ahead mark of a refresh: which refresh token was about to be sent, and when.
///
/// A mark that is still there when a record is loaded says that a process died, or lost its disk, between sending the
/// refresh token and saving its successor.
public struct RefreshMark: Sendable, Hashable {
    /// When the refresh was begun.
    public let begunAt: Date
    /// The record's generation that it started from.
    public let generation: Int64

    /// A mark.
    public init(begunAt: Date, generation: Int64) {
        self.begunAt = begunAt
        self.generation = generation
    }
}

extension SessionRecord {
    /// The access token where nothing has to be done for it: it is not about to end, and is valid for `validity`.
    ///
    /// Nil for one that is bound to a key: it needs a proof for each request.
    public func freshToken(validFor validity: Duration, now: Date) -> AccessToken? {
        self.tokens?.freshToken(validFor: validity, isRenewable: self.tokens?.refreshToken != nil, now: now)
    }
}

extension TokenSet {
    /// The access token where it is not about to end, and is valid for `validity`; nil for one that is bound to a key.
    public func freshToken(validFor validity: Duration, isRenewable: Bool, now: Date) -> AccessToken? {
        guard self.tokenType == .bearer else { return nil }
        let current = CurrentToken<AccessToken>(self, dpop: nil, now: now, uptime: 0, isRenewable: isRenewable)
        return current.dueAt > 0 && current.expiredAt >= validity.nanoseconds ? current.token : nil
    }
}

extension SessionRecord {
    /// The record of the session once it is over: without tokens and their key, with the reason.
    func closed(_ end: SessionEndedError, at date: Date) -> SessionRecord {
        var closed = self
        closed.tokens = nil
        closed.dpopKey = nil
        closed.generation += 1
        closed.refreshMark = nil
        closed.history.endedAt = date
        closed.history.endReason = end.code.description
        closed.history.refusal = end.cause
        return closed
    }
}

extension SessionRecord {
    /// Writes down that a refresh was answered, while the tokens are still those of before.
    mutating func count(_ response: TokenResponse, at date: Date) {
        self.generation += 1
        self.refreshMark = nil
        self.history.lastRefreshAt = date
        self.history.refreshCount += 1
        if let replacement = response.refreshToken, replacement != self.tokens?.refreshToken {
            self.history.refreshTokenReplacedAt = date
        }
        if let seconds = response.refreshTokenExpiresIn {
            self.history.refreshTokenExpiresAt = date.addingTimeInterval(Double(seconds))
        }
    }
}
