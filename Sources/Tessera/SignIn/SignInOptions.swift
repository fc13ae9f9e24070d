// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE
public import TesseraOAuth

/// Options for a sign-in.
///
/// ```swift
/// var options = SignInOptions(loginHint: "ada@example.com")
/// options.maxAge = 300
/// let session = try await signIn.signIn(scopes: [.openID], options: options)
/// ```
public struct SignInOptions: Sendable {
    /// The response type, either a code (the default) or, in the hybrid flow, a code and an ID token.
    public var responseType = ResponseType.code
    /// How the provider returns the response, or nil (the default) for the response type's usual mode.
    ///
    /// A ``UserAgent`` with a loopback listener cannot receive a URL fragment. Use `formPost` there for the hybrid
    /// flow.
    public var responseMode: ResponseMode?
    /// The pages that the provider should show, or an empty array (the default) to let the provider decide.
    ///
    /// If the array is empty and the scopes contain `offline_access`, the request has `prompt=consent`, as OpenID
    /// Connect requires.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 11](https://openid.net/specs/openid-connect-core-1_0.html#OfflineAccess)
    public var prompt: [Prompt]
    /// The expected user's email address or subject (`login_hint`).
    public var loginHint: String?
    /// The maximum time since the user last signed in at the provider, in seconds, or nil (the default) for any time.
    public var maxAge: Int?
    /// The requested authentication context class references, in order of preference.
    ///
    /// The provider may ignore them.
    public var acrValues: [String] = []
    /// The preferred languages of the provider's pages.
    public var uiLocales: [String] = []
    /// Individual claims to request in addition to those that the scopes include.
    ///
    /// If `acr` or `auth_time` is requested as essential, the ID token must contain it.
    public var claims = ClaimsRequest()
    /// The resources at which the tokens will be used (RFC 8707), as absolute URIs without a fragment.
    ///
    /// They are stored for later refreshes. When scopes are added, an empty array means the session's resources.
    public var resources: [String] = []
    /// The requested authorization details (RFC 9396).
    public var authorizationDetails: [AuthorizationDetail] = []
    /// Whether the request is pushed to the provider before the browser opens (RFC 9126), which is false by default.
    ///
    /// A request is always pushed if the provider's metadata or the client's security profile requires it. Providers
    /// typically discard a pushed request after about a minute, so the user has to open the page within that time.
    public var pushesAuthorizationRequest = false
    /// The key that signs the request as a request object (RFC 9101), or nil (the default) to send plain parameters.
    ///
    /// If this is nil and the provider's metadata requires a signature, the client's `OAuthClient.assertionKey` signs
    /// the request.
    public var requestSigningKey: JWSSigningKey?
    /// Additional parameters for the authorization request.
    public var additionalParameters: [String: String] = [:]
    /// Additional parameters for the token request that exchanges the code.
    public var additionalTokenParameters: [String: String] = [:]
    /// The client ID of the app's server, from ``SignIn/signIn(scopes:forServer:options:)``.
    ///
    /// The ID token's `aud` may then be this ID, with the app's client as `azp`.
    package var serverClientID: String?
    /// The parameters that identify the server, in both the authorization and the token request.
    var serverParameters: [String: String] { self.serverClientID.map { ["audience": $0] } ?? [:] }
    /// A custom nonce (see `AuthorizationRequest.nonce`), or nil for a random one.
    public var nonce: Secret?
    /// The claims that the ID token must contain with these values, for example `hd` at Google.
    ///
    /// They are stored with the session. If a refresh returns an ID token with another value, the session ends with
    /// ``SessionEndedError/Code/claimChanged``. A claim that is missing from that ID token keeps its value. When scopes
    /// are added, the session's claims remain required.
    public var requiredClaims: [String: String]
    /// How the user is identified, by the ID token by default.
    public var identity = IdentitySource.idToken
    /// A custom label for the account, by which ``SignIn/restore(hint:requiredClaims:)`` finds its session.
    public var label: String?
    /// The app's name on the completion page.
    public var applicationName: String?
    /// The redirect URI to store with the session (``SessionRecord/redirectURI``).
    ///
    /// The user agent determines the redirect URI of the sign-in itself. The stored URI is for an app that creates the
    /// user agent again to add scopes, at a provider that compares redirect URIs exactly. Pass the URI that the user
    /// agent was created with. A loopback URI without a port means a random port. When scopes are added, nil retains
    /// the stored URI.
    public var redirectURI: String?
    /// The origins that the session's tokens may be sent to, in addition to those of the provider.
    public var authorizedOrigins: [OriginPattern]
    /// Whether a request for additional scopes also asks the provider to include previously granted scopes.
    ///
    /// This has an effect only with providers that document such a parameter. Defaults to true.
    public var includesGrantedScopes = true
    /// The type of the OAuth client, `installed` or `web`, for the session's history.
    public var clientType: String?
    /// How long to wait for the redirect, 5 minutes by default.
    public var timeout = Duration.seconds(300)

    /// Creates sign-in options.
    ///
    /// Set the remaining options as properties.
    public init(
        loginHint: String? = nil,
        prompt: [Prompt] = [],
        requiredClaims: [String: String] = [:],
        authorizedOrigins: [OriginPattern] = [],
        applicationName: String? = nil
    ) {
        self.loginHint = loginHint
        self.prompt = prompt
        self.requiredClaims = requiredClaims
        self.authorizedOrigins = authorizedOrigins
        self.applicationName = applicationName
    }

    var effectiveResponseMode: ResponseMode { self.responseMode ?? self.responseType.defaultResponseMode }
}

/// How a sign-in identifies the user.
public enum IdentitySource: Sendable {
    /// The ID token's subject, which requires the `openid` scope.
    case idToken
    /// A custom function, for providers without ID tokens.
    ///
    /// The function receives the access token, calls the provider's API, and returns an identifier that is never
    /// reassigned to another user. It is called again when scopes are added. It cannot use a DPoP-bound token
    /// (``DPoPPolicy``).
    case caller(@Sendable (_ accessToken: Secret) async throws -> String)
}
