// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE
// Most requests throw this error, so that callers need it without TesseraJOSE.
@_exported public import struct TesseraJOSE.ProtocolViolationError

extension ProtocolViolationError.Rule {
    /// An endpoint must be an https URL without fragment.
    public static let endpoint = Self(rawValue: "metadata.endpoint")
    /// An issuer identifier is an https URL without query and fragment.
    public static let issuerForm = Self(rawValue: "metadata.issuerForm")
    /// The document's issuer must be the one that was asked for.
    public static let issuerMatch = Self(rawValue: "metadata.issuerMatch")
    /// The metadata document must be a JSON object with members of the right types.
    public static let metadataFormat = Self(rawValue: "metadata.format")
    /// A resource's metadata must be about the resource that was asked for.
    public static let resourceMatch = Self(rawValue: "metadata.resourceMatch")
    /// An authorization server must be one that the resource names.
    public static let authorizationServer = Self(rawValue: "metadata.authorizationServer")
    /// The metadata lacks an endpoint that is needed.
    public static let missingMetadata = Self(rawValue: "metadata.missing")
    /// PKCE with S256 must be possible.
    public static let codeChallengeMethod = Self(rawValue: "metadata.codeChallengeMethod")
    /// The provider must accept DPoP proofs by the key's algorithm.
    public static let dpopAlgorithm = Self(rawValue: "metadata.dpopAlgorithm")
    /// A redirect must come to the redirect URI of the request.
    public static let redirectURI = Self(rawValue: "redirect.uri")
    /// A redirect's parameters must be well formed, each there once.
    public static let redirectFormat = Self(rawValue: "redirect.format")
    /// A redirect must carry the state of the request.
    public static let state = Self(rawValue: "redirect.state")
    /// A redirect must come from the issuer that was asked.
    public static let redirectIssuer = Self(rawValue: "redirect.issuer")
    /// A redirect can be used once, while the attempt is open.
    public static let redirectReuse = Self(rawValue: "redirect.reuse")
    /// A redirect must carry a code and no token.
    public static let authorizationCode = Self(rawValue: "redirect.code")
    /// The answer to a pushed request must be a JSON object with a reference and its lifetime.
    public static let pushedRequestFormat = Self(rawValue: "pushed.format")
    /// A token answer must be a JSON object with members of the right types.
    public static let tokenResponseFormat = Self(rawValue: "token.format")
    /// The token type must be one that this client knows and asked for.
    public static let tokenType = Self(rawValue: "token.type")
    /// An access token must be printable ASCII.
    public static let accessTokenForm = Self(rawValue: "token.accessTokenForm")
    /// A scope must be printable ASCII, without spaces, quotation marks and backslashes.
    public static let scopeForm = Self(rawValue: "scope.form")
    /// A signed token's `typ` must be that of its kind.
    public static let jwtType = Self(rawValue: "jwt.type")
    /// `iss` of a signed token must be the provider.
    public static let jwtIssuer = Self(rawValue: "jwt.issuer")
    /// `aud` of a signed token must name whoever reads it.
    public static let jwtAudience = Self(rawValue: "jwt.audience")
    /// `exp`, `iat`, `nbf` of a signed token must fit the clock.
    public static let jwtTime = Self(rawValue: "jwt.time")
    /// One key of the provider must fit a signed token.
    public static let signingKey = Self(rawValue: "jwt.signingKey")
    /// The answer to a token exchange must say what kind of token was issued.
    public static let issuedTokenType = Self(rawValue: "token.issuedTokenType")
    /// A device authorization must have its members, and addresses that a browser may open.
    public static let deviceAuthorization = Self(rawValue: "device.authorization")
    /// A backchannel authentication must have its members.
    public static let backchannelAuthentication = Self(rawValue: "backchannel.authentication")
    /// An ID token must come when `openid` was asked for.
    public static let idTokenMissing = Self(rawValue: "idToken.missing")
    /// `azp`, where there is one, must be this client.
    public static let idTokenAuthorizedParty = Self(rawValue: "idToken.authorizedParty")
    /// `sub` must be 1 to 255 ASCII characters.
    public static let idTokenSubject = Self(rawValue: "idToken.subject")
    /// `nonce` must be the one that was sent.
    public static let idTokenNonce = Self(rawValue: "idToken.nonce")
    /// `auth_time` must be there and recent enough when `max_age` was asked for.
    public static let idTokenAuthenticationTime = Self(rawValue: "idToken.authenticationTime")
    /// `acr` must be one of those that were asked for as essential.
    public static let idTokenAuthenticationContext = Self(rawValue: "idToken.authenticationContext")
    /// `at_hash` and `c_hash` must fit the token and the code.
    public static let idTokenHash = Self(rawValue: "idToken.hash")
    /// An ID token must belong to the backchannel request that was asked about, where it names one.
    public static let idTokenAuthenticationRequest = Self(rawValue: "idToken.authenticationRequest")
    /// Both ID tokens of a hybrid flow must speak of the same person.
    public static let idTokenFrontChannel = Self(rawValue: "idToken.frontChannel")
    /// A refreshed ID token must speak of the same person, client and sign-in.
    public static let idTokenContinuity = Self(rawValue: "idToken.continuity")
    /// A refreshed ID token must not contradict a claim that the program requires.
    public static let idTokenRequiredClaim = Self(rawValue: "idToken.requiredClaim")
    /// The user information must speak of the person of the ID token.
    public static let userInfoSubject = Self(rawValue: "userInfo.subject")
    /// The user information must be a JSON object.
    public static let userInfoFormat = Self(rawValue: "userInfo.format")
    /// A logout token must have the event of a logout, whom it is about, and no nonce.
    public static let logoutToken = Self(rawValue: "logoutToken.claims")
    /// An introspection must say whether the token is active, with members of the right types.
    public static let introspectionFormat = Self(rawValue: "introspection.format")
    /// A registration must have what RFC 7591 and RFC 7592 require, at the server itself.
    public static let registration = Self(rawValue: "registration.format")
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
