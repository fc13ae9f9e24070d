// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE
public import TesseraOAuth

/// The options of a sign-in in addition to the scopes.
///
/// ```swift
/// var options = SignInOptions(loginHint: "ada@example.com")
/// options.maxAge = 300
/// let session = try await signIn.signIn(scopes: [.openID], options: options)
/// ```
public struct SignInOptions: Sendable {
    /// A code, which is the default, or in the hybrid flow a code and an ID token.
    public var responseType = ResponseType.code
    /// How the response is returned; nil, the default, is the usual mode of the response type.
    ///
    /// A ``UserAgent`` with a loopback listener cannot receive a fragment: there the hybrid flow needs `formPost`.
    public var responseMode: ResponseMode?
    /// The pages that the provider should show; by default it decides.
    ///
    /// If this is empty and the scopes contain `offline_access`, the provider is asked for `consent`: OpenID Connect requires
    /// it there.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 11](https://openid.net/specs/openid-connect-core-1_0.html#OfflineAccess)
    public var prompt: [Prompt]
    /// The expected user: an email address or a subject.
    public var loginHint: String?
    /// How long ago the user may have signed in at the provider, in seconds; nil, the default, is any time.
    public var maxAge: Int?
    /// Authentication context class references, the preferred one first; the provider need not heed them.
    public var acrValues: [String] = []
    /// The preferred languages of the provider's pages.
    public var uiLocales: [String] = []
    /// Single claims beside those of the scopes; an essential `acr` or `auth_time` is demanded of the ID token.
    public var claims = ClaimsRequest()
    /// Where the tokens are meant to be used (RFC 8707): absolute URIs without a fragment, kept for every refresh.
    ///
    /// When scopes are added, none means those of the session.
    public var resources: [String] = []
    /// What is asked for in more detail than scopes can tell (RFC 9396).
    public var authorizationDetails: [AuthorizationDetail] = []
    /// Whether the request is pushed to the provider before the browser opens (RFC 9126); false by default.
    ///
    /// Where the provider's metadata demand it, it always is. Providers forget a pushed request after a minute or so: the
    /// person has to open the page by then.
    public var pushesAuthorizationRequest = false
    /// Signs the request as a request object (RFC 9101); nil: it is sent plainly, unless the provider's metadata demand a
    /// signature, which is then by the client's `OAuthClient.assertionKey`.
    public var requestSigningKey: JWSSigningKey?
    /// More parameters of the authorization request.
    public var additionalParameters: [String: String] = [:]
    /// More parameters of the request that exchanges the code.
    public var additionalTokenParameters: [String: String] = [:]
    /// The client of the program's server, see ``SignIn/signIn(scopes:forServer:options:)``: `aud` may be it, and `azp`
    /// has to be this client then.
    package var serverClientID: String?
    /// What names the server to the provider, to be sent with the request and with its code.
    var serverParameters: [String: String] { self.serverClientID.map { ["audience": $0] } ?? [:] }
    /// A nonce of the caller's own, see `AuthorizationRequest.nonce`; nil is a random one.
    public var nonce: Secret?
    /// Claims of the ID token that must have these values, for example `hd` at Google.
    ///
    /// They are stored with the session. An ID token of a refresh that contradicts one ends the session with
    /// ``SessionEndedError/Code/claimChanged``; a claim that it lacks keeps its value. When scopes are added, the session's
    /// claims stay required.
    public var requiredClaims: [String: String]
    /// How the user is identified; by the ID token unless set.
    public var identity = IdentitySource.idToken
    /// A name of the caller's for the account.
    public var label: String?
    /// What the last page calls the program.
    public var applicationName: String?
    /// The redirect URI that is stored with the session (``SessionRecord/redirectURI``).
    ///
    /// The user agent decides where the response is received; this is for a program that creates its user agent again
    /// before it adds scopes, and whose provider compares redirect URIs exactly. Pass the URI that the user agent was
    /// created with; a loopback URI without a port stands for a random port. When scopes are added, nil keeps the stored one.
    public var redirectURI: String?
    /// Origins beside the provider's own that the session's tokens may be sent to.
    public var authorizedOrigins: [OriginPattern]
    /// Whether scopes that were granted earlier are requested again when scopes are added, if the provider documents how;
    /// true by default.
    public var includesEarlierGrants = true
    /// `installed` or `web`, for the history.
    public var clientType: String?
    /// How long the user may take; 5 minutes by default.
    public var timeout = Duration.seconds(300)

    /// Creates options; those that are not named here are properties.
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

    var effectiveResponseMode: ResponseMode { self.responseMode ?? self.responseType.usualResponseMode }
}

/// How a sign-in learns who the person is.
public enum IdentitySource: Sendable {
    /// From the ID token: the scopes have to contain `openid`.
    case idToken
    /// From the caller, for a provider without ID tokens: the function gets the access token, asks the provider's own
    /// API, and returns an identifier that never changes hands. It is asked again when scopes are added. A token that is
    /// bound to a key (``DPoPPolicy``) is of no use to it.
    case caller(@Sendable (_ accessToken: Secret) async throws -> String)
}
