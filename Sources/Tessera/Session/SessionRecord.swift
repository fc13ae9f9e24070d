// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraOAuth
internal import TesseraSupport

/// The stored state of a session, with everything that a program needs to continue after a restart.
///
/// Stores save ``encoded()`` and read it with ``init(decoding:location:)``. They inspect only ``account`` and
/// ``generation``.
public struct SessionRecord: Sendable, Hashable {
    /// The account of the session.
    public var account: Account
    /// A number that increases with each save of this account.
    public var generation: Int64
    /// The newest tokens, or nil if the session has ended.
    ///
    /// The record of an ended session retains its history.
    public var tokens: TokenSet?
    /// The private key that the tokens are bound to (RFC 9449), or nil for bearer tokens.
    ///
    /// The key is included in ``encoded()``.
    public var dpopKey: DPoPKey?
    /// The requested and granted scopes.
    public var grantedScopes: GrantedScopes
    /// The user's profile as reported by the provider.
    public var identity: Identity
    /// The configuration of the provider and the client at sign-in.
    public var provider: Provider {
        get { self.sharedProvider.value }
        set { self.sharedProvider = Shared(newValue) }
    }
    var sharedProvider: Shared<Provider>
    /// The origins that the access token may be sent to.
    public var authorizedOrigins: [OriginPattern]
    /// The resources that the access token is requested for (RFC 8707), at sign-in and in every refresh.
    public var resources: [String]
    /// The claims that the app required in the ID token at sign-in (``SignInOptions/requiredClaims``).
    ///
    /// The session ends if a later ID token contradicts one of them. A claim that is missing from that token keeps its
    /// value.
    public var requiredClaims: [String: String]
    /// The redirect URI of the last consent, if the app specified one (``SignInOptions/redirectURI``).
    public var redirectURI: String?
    /// The times and counts of consents and refreshes.
    public var history: SessionHistory
    /// The mark of an unfinished refresh, which the store sets when it loads the record.
    ///
    /// It is not included in ``encoded()``.
    public var refreshMark: RefreshMark?

    /// Creates a record.
    public init(
        account: Account,
        generation: Int64,
        tokens: TokenSet?,
        grantedScopes: GrantedScopes,
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
        self.grantedScopes = grantedScopes
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

/// A session's tokens at a point in time.
public struct TokenSet: Sendable, Hashable {
    /// The access token (`access_token`).
    public var accessToken: Secret
    /// The type of the access token.
    public var tokenType: TokenType
    /// The time at which the tokens were obtained, according to the wall clock of the computer that obtained them.
    public var obtainedAt: Date
    /// The lifetime of the access token in seconds, or nil if the provider did not report one.
    public var lifetime: Int64?
    /// The refresh token, or nil if the provider issued none.
    public var refreshToken: Secret?
    /// The newest ID token, which has been validated, or nil if there is none.
    public var idToken: Secret?

    /// Creates a set of tokens.
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

    /// The expiration time of the access token, or nil if the provider did not report a lifetime.
    public var expiresAt: Date? { self.lifetime.map { self.obtainedAt.addingTimeInterval(Double($0)) } }
}

extension TokenSet {
    /// Creates a set that contains only the access token from a response.
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

/// A write-ahead mark, which is saved before a refresh token is sent.
///
/// If a loaded record has a mark, a process may have stopped after sending the refresh token but before saving the new
/// one.
public struct RefreshMark: Sendable, Hashable {
    /// The time at which the refresh began.
    public let begunAt: Date
    /// The generation of the record before the refresh.
    public let generation: Int64

    /// Creates a mark.
    public init(begunAt: Date, generation: Int64) {
        self.begunAt = begunAt
        self.generation = generation
    }

    /// Returns whether a mark is that of the same refresh, because stores may round its time to milliseconds.
    package func isSame(as other: RefreshMark) -> Bool {
        self.generation == other.generation && abs(self.begunAt.timeIntervalSince(other.begunAt)) < 0.001
    }
}

extension SessionRecord {
    /// Returns the access token if it does not need to be refreshed and is valid for at least `validity`.
    ///
    /// Returns nil for a token that is bound to a key, because such a token needs a proof for each request.
    public func freshToken(validFor validity: Duration, now: Date) -> AccessToken? {
        self.tokens?.freshToken(validFor: validity, isRenewable: self.tokens?.refreshToken != nil, now: now)
    }
}

extension TokenSet {
    /// Returns the access token if it is not about to expire and is valid for at least `validity`.
    ///
    /// Returns nil for a token that is bound to a key.
    public func freshToken(validFor validity: Duration, isRenewable: Bool, now: Date) -> AccessToken? {
        guard self.tokenType == .bearer else { return nil }
        let current = CurrentToken<AccessToken>(self, dpop: nil, now: now, uptime: 0, isRenewable: isRenewable)
        return current.dueAt > 0 && current.expiredAt >= validity.nanoseconds ? current.token : nil
    }
}

extension SessionRecord {
    /// Returns a record of the ended session that includes the reason, but neither the tokens nor their key.
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
    /// Updates the generation and the history after a successful refresh, without changing the tokens.
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

    /// Returns the record with the refresh token of a refreshed one, if it has the refresh token that was used for that.
    ///
    /// A new consent without a refresh token retains the session's, which a refresh may replace at the same time.
    func continued(by refreshed: SessionRecord, replacing used: Secret) -> SessionRecord {
        guard let replacement = refreshed.tokens?.refreshToken, replacement != used, self.tokens?.refreshToken == used
        else { return self }
        var next = self
        next.generation += 1
        next.refreshMark = nil
        next.tokens?.refreshToken = replacement
        next.history.lastRefreshAt = refreshed.history.lastRefreshAt
        next.history.refreshCount += 1
        next.history.refreshTokenReplacedAt = refreshed.history.refreshTokenReplacedAt
        next.history.refreshTokenExpiresAt = refreshed.history.refreshTokenExpiresAt
        return next
    }
}
