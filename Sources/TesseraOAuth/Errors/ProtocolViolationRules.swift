// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE
// Most requests throw this error, so that callers need it without TesseraJOSE.
@_exported public import struct TesseraJOSE.ProtocolViolationError

private let idTokenValidation = "OpenID Connect Core 1.0, section 3.1.3.7"

extension ProtocolViolationError.Rule {
    /// An endpoint must be an https URL without fragment.
    public static let endpoint = Self("metadata.endpoint", "RFC 8414, section 2; RFC 6749, section 3")
    /// An issuer identifier is an https URL without query and fragment.
    public static let issuerForm = Self("metadata.issuerForm", "RFC 8414, section 2")
    /// The document's issuer must be the one that was asked for.
    public static let issuerMatch = Self(
        "metadata.issuerMatch",
        "RFC 8414, section 3.3; OpenID Connect Discovery 1.0, section 4.3"
    )
    /// The metadata document must be a JSON object with members of the right types.
    public static let metadataFormat = Self("metadata.format", "RFC 8414, section 3.2")
    /// A resource's metadata must be about the resource that was asked for.
    public static let resourceMatch = Self("metadata.resourceMatch", "RFC 9728, section 3.3")
    /// An authorization server must be one that the resource names.
    public static let authorizationServer = Self("metadata.authorizationServer", "RFC 9728, section 2")
    /// The metadata lacks an endpoint that is needed.
    public static let missingMetadata = Self("metadata.missing", "RFC 8414, section 2")
    /// PKCE with S256 must be possible.
    public static let codeChallengeMethod = Self(
        "metadata.codeChallengeMethod",
        "RFC 7636, section 4.2; RFC 9700, section 2.1.1"
    )
    /// The provider must accept DPoP proofs by the key's algorithm.
    public static let dpopAlgorithm = Self("metadata.dpopAlgorithm", "RFC 9449, section 5.1")
    /// A redirect must come to the redirect URI of the request.
    public static let redirectURI = Self("redirect.uri", "RFC 6749, section 3.1.2")
    /// A redirect's parameters must be well formed, each there once.
    public static let redirectFormat = Self("redirect.format", "RFC 6749, section 3.1")
    /// A redirect must carry the state of the request.
    public static let state = Self("redirect.state", "RFC 6749, section 10.12")
    /// A redirect must come from the issuer that was asked.
    public static let redirectIssuer = Self("redirect.issuer", "RFC 9207, section 2.4")
    /// A redirect can be used once, while the attempt is open.
    public static let redirectReuse = Self("redirect.reuse", "RFC 9700, section 4.2.4")
    /// A redirect must carry a code and no token.
    public static let authorizationCode = Self("redirect.code", "RFC 6749, section 4.1.2")
    /// The answer to a pushed request must be a JSON object with a reference and its lifetime.
    public static let pushedRequestFormat = Self("pushed.format", "RFC 9126, section 2.2")
    /// A token answer must be a JSON object with members of the right types.
    public static let tokenResponseFormat = Self("token.format", "RFC 6749, section 5.1")
    /// The token type must be one that this client knows and asked for.
    public static let tokenType = Self("token.type", "RFC 6749, section 7.1; RFC 9449, section 5")
    /// An access token must be printable ASCII.
    public static let accessTokenForm = Self("token.accessTokenForm", "RFC 6749, appendix A.12")
    /// A scope must be printable ASCII, without spaces, quotation marks and backslashes.
    public static let scopeForm = Self("scope.form", "RFC 6749, section 3.3")
    /// A signed token's `typ` must be that of its kind.
    public static let jwtType = Self("jwt.type", "RFC 8725, section 3.11")
    /// `iss` of a signed token must be the provider.
    public static let jwtIssuer = Self("jwt.issuer", "RFC 7519, section 4.1")
    /// `aud` of a signed token must name whoever reads it.
    public static let jwtAudience = Self("jwt.audience", "RFC 7519, section 4.1")
    /// `exp`, `iat`, `nbf` of a signed token must fit the clock.
    public static let jwtTime = Self("jwt.time", "RFC 7519, section 4.1")
    /// One key of the provider must fit a signed token.
    public static let signingKey = Self("jwt.signingKey", "OpenID Connect Core 1.0, section 10.1")
    /// The answer to a token exchange must say what kind of token was issued.
    public static let issuedTokenType = Self("token.issuedTokenType", "RFC 8693, section 2.2.1")
    /// A device authorization must have its members, and addresses that a browser may open.
    public static let deviceAuthorization = Self("device.authorization", "RFC 8628, section 3.2")
    /// A backchannel authentication must have its members.
    public static let backchannelAuthentication = Self(
        "backchannel.authentication",
        "OpenID Connect CIBA Core 1.0, section 7.3"
    )
    /// An ID token must come when `openid` was asked for.
    public static let idTokenMissing = Self("idToken.missing", "OpenID Connect Core 1.0, section 3.1.3.3")
    /// `azp`, where there is one, must be this client.
    public static let idTokenAuthorizedParty = Self("idToken.authorizedParty", idTokenValidation)
    /// `sub` must be 1 to 255 ASCII characters.
    public static let idTokenSubject = Self("idToken.subject", "OpenID Connect Core 1.0, section 2")
    /// `nonce` must be the one that was sent.
    public static let idTokenNonce = Self("idToken.nonce", idTokenValidation)
    /// `auth_time` must be there and recent enough when `max_age` was asked for.
    public static let idTokenAuthenticationTime = Self("idToken.authenticationTime", idTokenValidation)
    /// `acr` must be one of those that were asked for as essential.
    public static let idTokenAuthenticationContext = Self("idToken.authenticationContext", idTokenValidation)
    /// `at_hash` and `c_hash` must fit the token and the code.
    public static let idTokenHash = Self("idToken.hash", "OpenID Connect Core 1.0, section 3.1.3.8")
    /// An ID token must belong to the backchannel request that was asked about, where it names one.
    public static let idTokenAuthenticationRequest = Self(
        "idToken.authenticationRequest",
        "OpenID Connect CIBA Core 1.0, section 10.3.1"
    )
    /// Both ID tokens of a hybrid flow must speak of the same person.
    public static let idTokenFrontChannel = Self("idToken.frontChannel", "OpenID Connect Core 1.0, section 3.3.3.6")
    /// A refreshed ID token must speak of the same person, client and sign-in.
    public static let idTokenContinuity = Self("idToken.continuity", "OpenID Connect Core 1.0, section 12.2")
    /// A refreshed ID token must not contradict a claim that the program requires.
    public static let idTokenRequiredClaim = Self("idToken.requiredClaim", "OpenID Connect Core 1.0, section 12.2")
    /// The user information must speak of the person of the ID token.
    public static let userInfoSubject = Self("userInfo.subject", "OpenID Connect Core 1.0, section 5.3.2")
    /// The user information must be a JSON object.
    public static let userInfoFormat = Self("userInfo.format", "OpenID Connect Core 1.0, section 5.3.2")
    /// A logout token must have the event of a logout, whom it is about, and no nonce.
    public static let logoutToken = Self("logoutToken.claims", "OpenID Connect Back-Channel Logout 1.0, section 2.4")
    /// An introspection must say whether the token is active, with members of the right types.
    public static let introspectionFormat = Self("introspection.format", "RFC 7662, section 2.2")
    /// A registration must have what RFC 7591 and RFC 7592 require, at the server itself.
    public static let registration = Self("registration.format", "RFC 7591, section 3.2.1")
}

extension ProtocolViolationError: ErrorGuidance {
    /// Whether a refresh returned another user's ID token.
    public var endsSession: Bool { self.rule == .idTokenContinuity }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        switch self.rule {
        case .jwtTime: "Compare this machine's clock with the real time, and try again."
        case .issuerMatch, .issuerForm: "Use the issuer exactly as the provider writes it."
        case .state, .redirectReuse, .redirectURI, .redirectFormat: "Start the sign-in again."
        case .idTokenContinuity: "Sign in again."
        default: "Tell the provider's operator; nothing that was received has been used."
        }
    }
}
