// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraOAuth

/// The configuration of an OAuth provider and the app's client registration with it.
public struct Provider: Sendable, Hashable {
    /// The display name, shown on the completion page of a sign-in.
    public var name: String
    /// The provider's issuer identifier.
    public var issuer: Issuer
    /// The provider's metadata, or nil to fetch it by discovery once per ``SignIn``.
    public var metadata: ServerMetadata? {
        get { self.sharedMetadata?.value }
        set { self.sharedMetadata = newValue.map { Shared($0) } }
    }
    private(set) var sharedMetadata: Shared<ServerMetadata>?
    /// The app's client registration at the provider.
    public var client: OAuthClient
    /// Other accepted values of `iss` in the provider's ID tokens.
    public var issuerAliases: [String]
    /// The scopes that have more than one name at the provider.
    public var scopeAliases: ScopeAliases
    /// Additional parameters to include in every authorization request.
    public var authorizationParameters: [String: String]
    /// The provider's documented parameters for including previously granted scopes when the app requests more.
    public var incrementalParameters: [String: String]
    /// The origins that the provider's tokens may be sent to.
    public var authorizedOrigins: [OriginPattern]
    /// The insecure options to allow, intended for local providers.
    public var insecure: Insecure
    /// Whether tokens are bound to a key (RFC 9449).
    public var dpop: DPoPPolicy
    /// The provider's documented refresh-token lifetime rules, used to explain why a session ended.
    public var refreshTokenPolicy: RefreshTokenPolicy?

    /// Creates a provider.
    ///
    /// If `name` is nil, the issuer's host name is used. If `authorizedOrigins` is nil, only the issuer's origin is
    /// authorized.
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
        refreshTokenPolicy: RefreshTokenPolicy? = nil
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
        self.refreshTokenPolicy = refreshTokenPolicy
    }

    /// Creates a provider whose metadata is discovered from its issuer identifier.
    ///
    /// - Throws: `ProtocolViolationError` if the URL is not a valid issuer identifier.
    public static func issuer(
        _ url: String,
        client: OAuthClient,
        insecure: Insecure = []
    ) throws -> Provider {
        Provider(issuer: try Issuer(url, insecure: insecure), client: client, insecure: insecure)
    }
}

extension Provider {
    /// Returns whether an account belongs to this issuer and client.
    package func owns(_ account: Account) -> Bool {
        account.issuer == self.issuer.url && account.clientID == self.client.clientID
    }
}

/// A reference to an immutable value, so that thousands of sessions can share one provider and its metadata.
final class Shared<Value: Sendable & Hashable>: Sendable, Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: Shared, right: Shared) -> Bool { left === right || left.value == right.value }

    func hash(into hasher: inout Hasher) { hasher.combine(self.value) }
}

/// Whether the tokens of a sign-in are bound to a key that only the app has (DPoP).
///
/// A stolen DPoP-bound token cannot be used without the key. The policy applies to new sign-ins. An existing session
/// retains its key and token type.
///
/// - SeeAlso: [RFC 9449](https://www.rfc-editor.org/rfc/rfc9449.html)
public enum DPoPPolicy: String, Sendable, Hashable, CaseIterable {
    /// Requests bearer tokens.
    case never
    /// Requests DPoP-bound tokens if the provider's metadata lists ES256 proofs as supported, otherwise bearer tokens.
    ///
    /// If the provider lists support but returns a bearer token, the sign-in fails.
    case whenSupported
    /// Requires DPoP-bound tokens.
    ///
    /// If the provider's metadata does not list ES256 proofs as supported, the sign-in fails before the browser opens.
    /// For a provider that supports them without listing them, set `Provider.metadata` accordingly.
    case required
}
