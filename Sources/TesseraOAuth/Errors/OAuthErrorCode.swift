// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension OAuthError {
    /// An `error` value; open, because the IANA registry is.
    ///
    /// `catch OAuthError.Code.invalidGrant` reads as a sentence.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The value as the server sent it.
        public let rawValue: String
        /// A value as the server sent it.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The value, fit for a message.
        public var description: String { UntrustedText.printable(self.rawValue) }

        /// Whether the error is the server's error with this code.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? OAuthError)?.code == pattern
        }
    }
}

extension OAuthError.Code {
    /// RFC 6749, section 5.2.
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// RFC 6749, section 5.2.
    public static let invalidClient = Self(rawValue: "invalid_client")
    /// RFC 6749, section 5.2: the code or the refresh token is invalid, expired, revoked or somebody else's.
    public static let invalidGrant = Self(rawValue: "invalid_grant")
    /// RFC 6749, section 5.2.
    public static let unauthorizedClient = Self(rawValue: "unauthorized_client")
    /// RFC 6749, section 5.2.
    public static let unsupportedGrantType = Self(rawValue: "unsupported_grant_type")
    /// RFC 6749, section 5.2.
    public static let invalidScope = Self(rawValue: "invalid_scope")
    /// RFC 6749, section 4.1.2.1: the person or the provider refused.
    public static let accessDenied = Self(rawValue: "access_denied")
    /// RFC 6749, section 4.1.2.1.
    public static let unsupportedResponseType = Self(rawValue: "unsupported_response_type")
    /// RFC 6749, section 4.1.2.1.
    public static let serverError = Self(rawValue: "server_error")
    /// RFC 6749, section 4.1.2.1.
    public static let temporarilyUnavailable = Self(rawValue: "temporarily_unavailable")
    /// RFC 8628, section 3.5: nobody has decided yet.
    public static let authorizationPending = Self(rawValue: "authorization_pending")
    /// RFC 9449, section 8: the proof has to carry the nonce that comes with the error.
    public static let useDPoPNonce = Self(rawValue: "use_dpop_nonce")
    /// RFC 9449, section 5: the proof was not accepted.
    public static let invalidDPoPProof = Self(rawValue: "invalid_dpop_proof")
    /// RFC 8628, section 3.5.
    public static let slowDown = Self(rawValue: "slow_down")
    /// RFC 8628, section 3.5: nobody decided in time.
    public static let expiredToken = Self(rawValue: "expired_token")
    /// RFC 8707, section 2, and RFC 8693, section 2.2.2: the provider issues no token for that resource or audience.
    public static let invalidTarget = Self(rawValue: "invalid_target")
    /// OpenID Connect CIBA Core 1.0, section 13: the hint names nobody.
    public static let unknownUserID = Self(rawValue: "unknown_user_id")
    /// OpenID Connect CIBA Core 1.0, section 13: the hint has expired.
    public static let expiredLoginHintToken = Self(rawValue: "expired_login_hint_token")
    /// OpenID Connect CIBA Core 1.0, section 13.
    public static let missingUserCode = Self(rawValue: "missing_user_code")
    /// OpenID Connect CIBA Core 1.0, section 13.
    public static let invalidUserCode = Self(rawValue: "invalid_user_code")
    /// OpenID Connect CIBA Core 1.0, section 13.
    public static let invalidBindingMessage = Self(rawValue: "invalid_binding_message")
    /// OpenID Connect Core 1.0, section 3.1.2.6.
    public static let interactionRequired = Self(rawValue: "interaction_required")
    /// OpenID Connect Core 1.0, section 3.1.2.6.
    public static let loginRequired = Self(rawValue: "login_required")
    /// OpenID Connect Core 1.0, section 3.1.2.6.
    public static let accountSelectionRequired = Self(rawValue: "account_selection_required")
    /// OpenID Connect Core 1.0, section 3.1.2.6.
    public static let consentRequired = Self(rawValue: "consent_required")
}
