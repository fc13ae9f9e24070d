// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE

extension ProtocolViolation.Rule {
    /// An endpoint must be an https URL without fragment.
    public static let endpoint = Self(rawValue: "metadata.endpoint")
    /// An issuer identifier is an https URL without query and fragment.
    public static let issuerForm = Self(rawValue: "metadata.issuerForm")
    /// The document's issuer must be the one that was asked for.
    public static let issuerMatch = Self(rawValue: "metadata.issuerMatch")
    /// The metadata document must be a JSON object with members of the right types.
    public static let metadataFormat = Self(rawValue: "metadata.format")
    /// The metadata lacks an endpoint that is needed.
    public static let missingMetadata = Self(rawValue: "metadata.missing")
    /// PKCE with S256 must be possible.
    public static let codeChallengeMethod = Self(rawValue: "metadata.codeChallengeMethod")
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
    /// A token answer must be a JSON object with members of the right types.
    public static let tokenResponseFormat = Self(rawValue: "token.format")
    /// The token type must be one that this client knows and asked for.
    public static let tokenType = Self(rawValue: "token.type")
    /// An access token must be printable ASCII.
    public static let accessTokenForm = Self(rawValue: "token.accessTokenForm")
    /// An ID token must come when `openid` was asked for.
    public static let idTokenMissing = Self(rawValue: "idToken.missing")
    /// `iss` must be the provider.
    public static let idTokenIssuer = Self(rawValue: "idToken.issuer")
    /// `aud` must be this client, alone or with `azp`.
    public static let idTokenAudience = Self(rawValue: "idToken.audience")
    /// `azp`, where there is one, must be this client.
    public static let idTokenAuthorizedParty = Self(rawValue: "idToken.authorizedParty")
    /// `sub` must be 1 to 255 ASCII characters.
    public static let idTokenSubject = Self(rawValue: "idToken.subject")
    /// `exp`, `iat`, `nbf` must fit the clock.
    public static let idTokenTime = Self(rawValue: "idToken.time")
    /// `nonce` must be the one that was sent.
    public static let idTokenNonce = Self(rawValue: "idToken.nonce")
    /// `auth_time` must be there and recent enough when `max_age` was asked for.
    public static let idTokenAuthenticationTime = Self(rawValue: "idToken.authenticationTime")
    /// `acr` must be one of those that were asked for as essential.
    public static let idTokenAuthenticationContext = Self(rawValue: "idToken.authenticationContext")
    /// `at_hash` and `c_hash` must fit the token and the code.
    public static let idTokenHash = Self(rawValue: "idToken.hash")
    /// An ID token's type must be that of an ID token.
    public static let idTokenType = Self(rawValue: "idToken.type")
    /// A refreshed ID token must speak of the same person, client and sign-in.
    public static let idTokenContinuity = Self(rawValue: "idToken.continuity")
    /// No key of the provider fits the signature.
    public static let signingKey = Self(rawValue: "idToken.signingKey")
    /// The user information must speak of the person of the ID token.
    public static let userInfoSubject = Self(rawValue: "userInfo.subject")
    /// The user information must be a JSON object.
    public static let userInfoFormat = Self(rawValue: "userInfo.format")
}

extension ProtocolViolation: ErrorGuidance {
    /// Whether the session is still usable: only a refresh that brought another person's ID token ends it.
    public var sessionSurvives: Bool { self.rule != .idTokenContinuity }
    /// Never by itself: the same answer breaks the same rule.
    public var retryCanHelp: Bool { false }
    /// What to do about it.
    public var whatToDo: String {
        switch self.rule {
        case .idTokenTime: "Compare this machine's clock with the real time, and try again."
        case .issuerMatch, .issuerForm: "Use the issuer exactly as the provider writes it."
        case .state, .redirectReuse, .redirectURI, .redirectFormat: "Start the sign-in again."
        case .idTokenContinuity: "Sign in again."
        default: "Tell the provider's operator; nothing that was received has been used."
        }
    }
}
