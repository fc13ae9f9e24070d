// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

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
    public var provider: Provider
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
        self.provider = provider
        self.authorizedOrigins = authorizedOrigins
        self.resources = resources
        self.history = history
        self.refreshMark = refreshMark
        self.dpopKey = dpopKey
        self.requiredClaims = requiredClaims
        self.redirectURI = redirectURI
    }
}
