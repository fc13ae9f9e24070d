// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What is asked of the authorization endpoint: the code grant with PKCE; response types without a code, or with an
/// access token, do not exist here.
///
/// - SeeAlso: [RFC 6749, section 4.1.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.1),
///   [OpenID Connect Core 1.0, section 3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)
public struct AuthorizationRequest: Sendable, Hashable {
    /// `redirect_uri`.
    public var redirectURI: RedirectURI
    /// `scope`, in this order, each once.
    public var scopes: [Scope]
    /// `response_type`: a code, or in the hybrid flow a code and an ID token.
    public var responseType: ResponseType
    /// `response_mode`; nil asks for none, and is the query for a code, the fragment for a code and an ID token.
    ///
    /// A code alone cannot come in the fragment; with an ID token it comes in the fragment or by form post.
    public var responseMode: ResponseMode?
    /// `prompt`.
    ///
    /// If it is empty and the scopes contain `offline_access`, `consent` is sent: OpenID Connect requires it there.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 11](https://openid.net/specs/openid-connect-core-1_0.html#OfflineAccess)
    public var prompt: [Prompt]
    /// `login_hint`: an email address or a subject, to spare the person the choice of the account.
    public var loginHint: String?
    /// `max_age` in seconds: how long ago the person may have signed in.
    public var maxAge: Int?
    /// `acr_values`.
    public var acrValues: [String]
    /// `ui_locales`.
    public var uiLocales: [String]
    /// `display`: `page`, `popup`, `touch` or `wap`.
    public var display: String?
    /// `id_token_hint`: an ID token of the person who is expected.
    ///
    /// It stands in the authorization URL, unless the request is pushed.
    public var idTokenHint: Secret?
    /// `nonce`: one of the caller's own, for a server that gave it and compares it in the ID token; nil is a random one.
    ///
    /// It has to be unguessable and used once. Without the scope `openid` none is sent.
    public var nonce: Secret?
    /// `state`: one that the caller has sent already; nil is a random one.
    package var state: Secret?
    /// `claims`: single claims beside those of the scopes.
    public var claims: ClaimsRequest
    /// `resource`: where the tokens are meant to be used, absolute URIs without a fragment.
    ///
    /// They are sent with the code too.
    ///
    /// - SeeAlso: [RFC 8707, section 2](https://www.rfc-editor.org/rfc/rfc8707.html#section-2)
    public var resources: [String]
    /// `authorization_details`.
    public var authorizationDetails: [AuthorizationDetail]
    /// More parameters; none of those that this module writes itself.
    public var additionalParameters: [String: String]

    /// A request.
    public init(
        redirectURI: RedirectURI,
        scopes: [Scope],
        responseType: ResponseType = .code,
        responseMode: ResponseMode? = nil,
        prompt: [Prompt] = [],
        loginHint: String? = nil,
        maxAge: Int? = nil,
        acrValues: [String] = [],
        uiLocales: [String] = [],
        display: String? = nil,
        idTokenHint: Secret? = nil,
        nonce: Secret? = nil,
        claims: ClaimsRequest = ClaimsRequest(),
        resources: [String] = [],
        authorizationDetails: [AuthorizationDetail] = [],
        additionalParameters: [String: String] = [:]
    ) {
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.responseType = responseType
        self.responseMode = responseMode
        self.prompt = prompt
        self.loginHint = loginHint
        self.maxAge = maxAge
        self.acrValues = acrValues
        self.uiLocales = uiLocales
        self.display = display
        self.idTokenHint = idTokenHint
        self.nonce = nonce
        self.claims = claims
        self.resources = resources
        self.authorizationDetails = authorizationDetails
        self.additionalParameters = additionalParameters
    }

    /// Whether an ID token is asked for.
    public var asksForIDToken: Bool { self.scopes.contains(.openID) }

    /// How the answer will come.
    public var effectiveResponseMode: ResponseMode {
        self.responseMode ?? self.responseType.usualResponseMode
    }
}
