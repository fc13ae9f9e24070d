// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE
public import TesseraOAuth

/// A provider as a program knows it: who it is, which client the program is there, and what is special about it.
public struct Provider: Sendable, Hashable {
    /// What people call it; shown on the last page of a sign-in.
    public var name: String
    /// Its issuer identifier.
    public var issuer: Issuer
    /// What it says about itself; nil is found out by discovery, once per ``SignIn``.
    public var metadata: ServerMetadata? {
        get { self.sharedMetadata?.metadata }
        set { self.sharedMetadata = newValue.map { SharedMetadata($0) } }
    }
    private(set) var sharedMetadata: SharedMetadata?
    /// The program's registration there.
    public var client: OAuthClient
    /// Other spellings of `iss` in its ID tokens.
    public var issuerAliases: [String]
    /// Scopes with two spellings.
    public var scopeAliases: ScopeAliases
    /// Parameters that every authorization request carries.
    public var authorizationParameters: [String: String]
    /// Parameters that ask for earlier grants to be included when scopes are added, where the provider documents them.
    public var incrementalParameters: [String: String]
    /// Where its tokens may be sent.
    public var authorizedOrigins: [OriginPattern]
    /// Permissions that weaken security: for local providers.
    public var insecure: Insecure
    /// Whether tokens are bound to a key (RFC 9449).
    public var dpop: DPoPPolicy
    /// What the provider documents about the end of its grants; explains why a session ended.
    public var grantRules: GrantRules?

    /// A provider.
    ///
    /// Its own origin is authorized when `authorizedOrigins` is nil.
    public init(
        name: String? = nil,
        issuer: Issuer,
        metadata: ServerMetadata? = nil,
        client: OAuthClient,
        issuerAliases: [String] = [],
        scopeAliases: ScopeAliases = ScopeAliases(),
        authorizationParameters: [String: String] = [:],
        incrementalParameters: [String: String] = [:],
        authorizedOrigins: [OriginPattern]? = nil,
        insecure: Insecure = [],
        dpop: DPoPPolicy = .never,
        grantRules: GrantRules? = nil
    ) {
        let parts = URIParts(issuer.url)
        self.name = name ?? parts?.host ?? issuer.url
        self.issuer = issuer
        self.sharedMetadata = metadata.map { SharedMetadata($0) }
        self.client = client
        self.issuerAliases = issuerAliases
        self.scopeAliases = scopeAliases
        self.authorizationParameters = authorizationParameters
        self.incrementalParameters = incrementalParameters
        self.authorizedOrigins = authorizedOrigins ?? parts.flatMap { OriginPattern(of: $0) }.map { [$0] } ?? []
        self.insecure = insecure
        self.dpop = dpop
        self.grantRules = grantRules
    }

    /// A provider that is known by its issuer identifier alone; everything else comes from discovery.
    public static func issuer(
        _ url: String,
        client: OAuthClient,
        insecure: Insecure = []
    ) throws -> Provider {
        Provider(issuer: try Issuer(url, insecure: insecure), client: client, insecure: insecure)
    }
}
