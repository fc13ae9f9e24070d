// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE
// Most requests can throw this error, so it must be available without importing TesseraJOSE.
@_exported public import struct TesseraJOSE.ProtocolViolationError

private let idTokenValidation = "OpenID Connect Core 1.0, section 3.1.3.7"

extension ProtocolViolationError.Rule {
    /// An endpoint must be an https URL without a fragment.
    public static let endpoint = Self("metadata.endpoint", "RFC 8414, section 2; RFC 6749, section 3")
    /// An issuer identifier must be an https URL without a query or fragment.
    public static let issuerForm = Self("metadata.issuerForm", "RFC 8414, section 2")
    /// The issuer in the metadata must be the requested issuer.
    public static let issuerMatch = Self(
        "metadata.issuerMatch",
        "RFC 8414, section 3.3; OpenID Connect Discovery 1.0, section 4.3"
    )
    /// The metadata must be a JSON object with members of the correct types.
    public static let metadataFormat = Self("metadata.format", "RFC 8414, section 3.2")
    /// The metadata of a resource must describe the requested resource.
    public static let resourceMatch = Self("metadata.resourceMatch", "RFC 9728, section 3.3")
    /// An authorization server must be listed in the resource's metadata.
    public static let authorizationServer = Self("metadata.authorizationServer", "RFC 9728, section 2")
    /// The metadata must contain each required endpoint.
    public static let missingMetadata = Self("metadata.missing", "RFC 8414, section 2")
    /// The provider must support PKCE with S256.
    public static let codeChallengeMethod = Self(
        "metadata.codeChallengeMethod",
        "RFC 7636, section 4.2; RFC 9700, section 2.1.1"
    )
    /// The provider must accept DPoP proofs with the key's algorithm.
    public static let dpopAlgorithm = Self("metadata.dpopAlgorithm", "RFC 9449, section 5.1")
    /// A redirect must arrive at the request's redirect URI.
    public static let redirectURI = Self("redirect.uri", "RFC 6749, section 3.1.2")
    /// A redirect's parameters must be well formed and not repeated.
    public static let redirectFormat = Self("redirect.format", "RFC 6749, section 3.1")
    /// A redirect must contain the request's state.
    public static let state = Self("redirect.state", "RFC 6749, section 10.12")
    /// A redirect must come from the issuer to which the request was sent.
    public static let redirectIssuer = Self("redirect.issuer", "RFC 9207, section 2.4")
    /// A redirect can be used only once, while the authorization is open.
    public static let redirectReuse = Self("redirect.reuse", "RFC 9700, section 4.2.4")
    /// A redirect must contain a code and must not contain tokens that were not requested.
    public static let authorizationCode = Self("redirect.code", "RFC 6749, section 4.1.2")
    /// A pushed authorization response must be a JSON object with a reference and its lifetime.
    public static let pushedRequestFormat = Self("pushed.format", "RFC 9126, section 2.2")
    /// A token response must be a JSON object with members of the correct types.
    public static let tokenResponseFormat = Self("token.format", "RFC 6749, section 5.1")
    /// The token type must be supported by this client and match the request.
    public static let tokenType = Self("token.type", "RFC 6749, section 7.1; RFC 9449, section 5")
    /// An access token must be printable ASCII.
    public static let accessTokenForm = Self("token.accessTokenForm", "RFC 6749, appendix A.12")
    /// A scope must be printable ASCII without spaces, quotation marks or backslashes.
    public static let scopeForm = Self("scope.form", "RFC 6749, section 3.3")
    /// A signed token's `typ` must match the kind of token that is expected.
    public static let jwtType = Self("jwt.type", "RFC 8725, section 3.11")
    /// A signed token's `iss` must be the provider.
    public static let jwtIssuer = Self("jwt.issuer", "RFC 7519, section 4.1")
    /// A signed token's `aud` must include the recipient.
    public static let jwtAudience = Self("jwt.audience", "RFC 7519, section 4.1")
    /// A signed token's `exp`, `iat` and `nbf` must be consistent with the current time.
    public static let jwtTime = Self("jwt.time", "RFC 7519, section 4.1")
    /// A signed token must match one of the provider's keys.
    public static let signingKey = Self("jwt.signingKey", "OpenID Connect Core 1.0, section 10.1")
    /// A token exchange response must contain the type of the issued token.
    public static let issuedTokenType = Self("token.issuedTokenType", "RFC 8693, section 2.2.1")
    /// A device authorization response must be complete, with URLs that a browser can safely open.
    public static let deviceAuthorization = Self("device.authorization", "RFC 8628, section 3.2")
    /// A backchannel authentication response must be complete.
    public static let backchannelAuthentication = Self(
        "backchannel.authentication",
        "OpenID Connect CIBA Core 1.0, section 7.3"
    )
    /// The response must contain an ID token if `openid` was requested.
    public static let idTokenMissing = Self("idToken.missing", "OpenID Connect Core 1.0, section 3.1.3.3")
    /// `azp`, if present, must be this client.
    public static let idTokenAuthorizedParty = Self("idToken.authorizedParty", idTokenValidation)
    /// `sub` must be 1 to 255 ASCII characters.
    public static let idTokenSubject = Self("idToken.subject", "OpenID Connect Core 1.0, section 2")
    /// `nonce` must be the request's nonce.
    public static let idTokenNonce = Self("idToken.nonce", idTokenValidation)
    /// `auth_time` must be present and recent enough if `max_age` was requested.
    public static let idTokenAuthenticationTime = Self("idToken.authenticationTime", idTokenValidation)
    /// `acr` must be one of the values that were requested as essential.
    public static let idTokenAuthenticationContext = Self("idToken.authenticationContext", idTokenValidation)
    /// `at_hash` and `c_hash` must match the access token and the code.
    public static let idTokenHash = Self("idToken.hash", "OpenID Connect Core 1.0, section 3.1.3.8")
    /// If an ID token names a backchannel request, it must be the request that was polled.
    public static let idTokenAuthenticationRequest = Self(
        "idToken.authenticationRequest",
        "OpenID Connect CIBA Core 1.0, section 10.3.1"
    )
    /// Both ID tokens in a hybrid flow must identify the same user.
    public static let idTokenFrontChannel = Self("idToken.frontChannel", "OpenID Connect Core 1.0, section 3.3.3.6")
    /// A refreshed ID token must be for the same user, client and sign-in.
    public static let idTokenContinuity = Self("idToken.continuity", "OpenID Connect Core 1.0, section 12.2")
    /// A refreshed ID token must not contradict a claim that the app requires.
    public static let idTokenRequiredClaim = Self("idToken.requiredClaim", "OpenID Connect Core 1.0, section 12.2")
    /// The user information must be about the user whom the ID token identifies.
    public static let userInfoSubject = Self("userInfo.subject", "OpenID Connect Core 1.0, section 5.3.2")
    /// The user information must be a JSON object.
    public static let userInfoFormat = Self("userInfo.format", "OpenID Connect Core 1.0, section 5.3.2")
    /// A logout token must contain a logout event and a subject or session ID, and must not contain a nonce.
    public static let logoutToken = Self("logoutToken.claims", "OpenID Connect Back-Channel Logout 1.0, section 2.4")
    /// An introspection response must state whether the token is active, with members of the correct types.
    public static let introspectionFormat = Self("introspection.format", "RFC 7662, section 2.2")
    /// A registration response must contain the members that RFC 7591 and RFC 7592 require, with URLs on the same
    /// server.
    public static let registration = Self("registration.format", "RFC 7591, section 3.2.1")
}

extension ProtocolViolationError: ErrorGuidance {
    /// Whether the session has ended because a refresh returned another user's ID token.
    public var endsSession: Bool { self.rule == .idTokenContinuity }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        switch self.rule {
        case .jwtTime: "Check this machine's clock, then try again."
        case .issuerMatch, .issuerForm: "Use the issuer exactly as the provider publishes it."
        case .state, .redirectReuse, .redirectURI, .redirectFormat: "Start the sign-in again."
        case .idTokenContinuity: "Sign in again."
        default: "Report this to the provider's operator. The response was discarded."
        }
    }
}
