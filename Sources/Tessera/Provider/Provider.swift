// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraOAuth

/// A provider as a program knows it: who it is, which client the program is there, and what is special about it.
public struct Provider: Sendable, Hashable {
    /// What people call it; shown on the last page of a sign-in.
    public var name: String
    /// Its issuer identifier.
    public var issuer: Issuer
    /// What it says about itself; nil is found out by discovery, once per ``SignIn``.
    public var metadata: ServerMetadata? {
        get { self.sharedMetadata?.value }
        set { self.sharedMetadata = newValue.map { Shared($0) } }
    }
    private(set) var sharedMetadata: Shared<ServerMetadata>?
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
        self.sharedMetadata = metadata.map { Shared($0) }
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

extension Provider {
    /// Whether an account is of this issuer and client.
    package func owns(_ account: Account) -> Bool {
        account.issuer == self.issuer.url && account.clientID == self.client.clientID
    }
}

/// A value behind a reference: a server that holds ten thousand sessions holds their provider and its metadata once.
final class Shared<Value: Sendable & Hashable>: Sendable, Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: Shared, right: Shared) -> Bool { left === right || left.value == right.value }

    func hash(into hasher: inout Hasher) { hasher.combine(self.value) }
}

/// Whether the tokens of a sign-in are bound to a key that only this program has, so that stolen ones are worth nothing.
///
/// Decided at each sign-in: a session keeps the key, and the kind of token, that its sign-in brought.
///
/// - SeeAlso: [RFC 9449](https://www.rfc-editor.org/rfc/rfc9449.html)
public enum DPoPPolicy: String, Sendable, Hashable, CaseIterable {
    /// Bearer tokens.
    case never
    /// Bound tokens where the provider's metadata says that it takes proofs by ES256; bearer tokens elsewhere.
    ///
    /// A provider that says so and then answers with a bearer token is refused all the same.
    case whenSupported
    /// Bound tokens or none: where the provider's metadata do not say that it takes proofs by ES256 the sign-in fails before
    /// the browser opens.
    ///
    /// A provider that takes them and does not say so needs a `Provider.metadata` that does.
    case required
}
