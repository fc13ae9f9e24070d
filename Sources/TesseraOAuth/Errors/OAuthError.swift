// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import HTTPTypes
internal import TesseraJSON

/// An error response from the authorization server.
///
/// `serverDescription` and `errorURI` contain the server's own text. They are limited to 1,000 characters and are never
/// interpreted. The code and the subtype are limited to 200 characters.
///
/// - SeeAlso: [RFC 6749, sections 4.1.2.1 and 5.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2)
public struct OAuthError: ErrorGuidance, Sendable, Hashable {
    /// The error code (`error`).
    public let code: Code
    /// The server's description of the error (`error_description`).
    public let serverDescription: String?
    /// The URI of a page about the error (`error_uri`).
    public let errorURI: String?
    /// The HTTP status, or nil for an error in a redirect.
    public let status: Int?
    /// The time to wait before the next attempt, in seconds, if the server specified it (`Retry-After`).
    public let retryAfter: Int?
    /// A more specific code, if the server supplies one (`error_subtype`, used by Google, for example).
    public let subtype: String?
    /// The server's time when it responded, if it supplied it (`Date`).
    public let serverDate: Date?

    /// Creates an error response.
    public init(
        _ code: Code,
        serverDescription: String? = nil,
        errorURI: String? = nil,
        status: Int? = nil,
        retryAfter: Int? = nil,
        subtype: String? = nil,
        serverDate: Date? = nil
    ) {
        self.code = Code(rawValue: String(code.rawValue.unicodeScalars.prefix(200)))
        self.serverDescription = serverDescription.map { String($0.unicodeScalars.prefix(1_000)) }
        self.errorURI = errorURI.map { String($0.unicodeScalars.prefix(1_000)) }
        self.status = status
        self.retryAfter = retryAfter
        self.subtype = subtype.map { String($0.unicodeScalars.prefix(200)) }
        self.serverDate = serverDate
    }

    /// Returns the error without the secrets that the server repeats in its text.
    func without(_ secrets: ExchangeSecrets) -> OAuthError {
        OAuthError(
            Code(rawValue: secrets.removed(fromName: self.code.rawValue)),
            serverDescription: self.serverDescription.map { secrets.removed(from: $0) },
            errorURI: self.errorURI.map { secrets.removed(from: $0) },
            status: self.status,
            retryAfter: self.retryAfter,
            subtype: self.subtype.map { secrets.removed(fromName: $0) },
            serverDate: self.serverDate
        )
    }

    /// Whether the failure may be temporary, as indicated by 5xx, 429, `temporarily_unavailable`, `server_error` or
    /// `slow_down`.
    public var isTransient: Bool {
        [.temporarilyUnavailable, .serverError, .slowDown].contains(self.code)
            || self.status.map { $0 == 429 || (500...599).contains($0) } ?? false
    }

    /// Whether the code is `invalid_grant` and the failure is not temporary.
    public var endsSession: Bool { self.code == .invalidGrant && !self.isTransient }
    /// Whether the failure may be temporary and the status is not 501.
    public var isRetryable: Bool { self.isTransient && self.status != 501 }
}

extension OAuthError: CustomStringConvertible {
    /// A one-line description that contains the error code and the server's description.
    public var description: String {
        let words = self.serverDescription.map { ": " + UntrustedText.printable($0) } ?? ""
        let status = self.status.map { " [HTTP \($0)]" } ?? ""
        return "The provider returned an error (\(UntrustedText.printable(self.code.rawValue)))\(words)\(status)"
    }

    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        switch self.code {
        case .accessDenied: "Sign in again and allow access, or ask the account's administrator."
        case .invalidGrant: "Sign in again. The access was revoked or has expired, or the code was used twice."
        case .invalidClient, .unauthorizedClient: "Check the client ID and the client secret."
        case .expiredToken: "Start again. The request was not approved in time."
        case .invalidScope: "Request only scopes that the provider supports and that this client is allowed to use."
        case .loginRequired, .consentRequired, .interactionRequired, .accountSelectionRequired:
            "Sign in interactively. The provider needs to show a page to the user."
        case _ where self.isRetryable: "Wait a moment and try again."
        default: "Check the provider's description, then correct the request or the registration of the client."
        }
    }
}

extension OAuthError {
    /// An error code, as in the `error` parameter.
    ///
    /// Any value is allowed, because new codes can be added to the IANA registry. You can use a code as a pattern in a
    /// `catch` clause, as in `catch OAuthError.Code.invalidGrant`.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The code as sent by the server.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code in printable form.
        public var description: String { UntrustedText.printable(self.rawValue) }

        /// Returns whether an error is an ``OAuthError`` with this code.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? OAuthError)?.code == pattern
        }
    }
}

extension OAuthError.Code {
    /// The request is malformed or lacks a parameter (RFC 6749, section 5.2).
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// Client authentication failed (RFC 6749, section 5.2).
    public static let invalidClient = Self(rawValue: "invalid_client")
    /// The code or refresh token is invalid, expired, revoked, or was issued to another client (RFC 6749, section 5.2).
    public static let invalidGrant = Self(rawValue: "invalid_grant")
    /// The client is not allowed to use this grant type (RFC 6749, section 5.2).
    public static let unauthorizedClient = Self(rawValue: "unauthorized_client")
    /// The server does not support this grant type (RFC 6749, section 5.2).
    public static let unsupportedGrantType = Self(rawValue: "unsupported_grant_type")
    /// A requested scope is unknown, malformed or not allowed (RFC 6749, section 5.2).
    public static let invalidScope = Self(rawValue: "invalid_scope")
    /// The user or the provider denied the request (RFC 6749, section 4.1.2.1).
    public static let accessDenied = Self(rawValue: "access_denied")
    /// The server does not support this response type (RFC 6749, section 4.1.2.1).
    public static let unsupportedResponseType = Self(rawValue: "unsupported_response_type")
    /// The server encountered an unexpected condition (RFC 6749, section 4.1.2.1).
    public static let serverError = Self(rawValue: "server_error")
    /// The server is overloaded or under maintenance (RFC 6749, section 4.1.2.1).
    public static let temporarilyUnavailable = Self(rawValue: "temporarily_unavailable")
    /// The user has not decided yet (RFC 8628, section 3.5).
    public static let authorizationPending = Self(rawValue: "authorization_pending")
    /// The proof must carry the nonce in the error response (RFC 9449, section 8).
    public static let useDPoPNonce = Self(rawValue: "use_dpop_nonce")
    /// The proof was not accepted (RFC 9449, section 5).
    public static let invalidDPoPProof = Self(rawValue: "invalid_dpop_proof")
    /// The client must poll less often (RFC 8628, section 3.5).
    public static let slowDown = Self(rawValue: "slow_down")
    /// The user did not decide in time (RFC 8628, section 3.5).
    public static let expiredToken = Self(rawValue: "expired_token")
    /// The provider does not issue tokens for that resource or audience (RFC 8707, section 2, and RFC 8693, section
    /// 2.2.2).
    public static let invalidTarget = Self(rawValue: "invalid_target")
    /// The hint does not identify a user (OpenID Connect CIBA Core 1.0, section 13).
    public static let unknownUserID = Self(rawValue: "unknown_user_id")
    /// The hint has expired (OpenID Connect CIBA Core 1.0, section 13).
    public static let expiredLoginHintToken = Self(rawValue: "expired_login_hint_token")
    /// The request lacks a user code (OpenID Connect CIBA Core 1.0, section 13).
    public static let missingUserCode = Self(rawValue: "missing_user_code")
    /// The user code is wrong (OpenID Connect CIBA Core 1.0, section 13).
    public static let invalidUserCode = Self(rawValue: "invalid_user_code")
    /// The binding message is not acceptable (OpenID Connect CIBA Core 1.0, section 13).
    public static let invalidBindingMessage = Self(rawValue: "invalid_binding_message")
    /// The user must interact with the provider (OpenID Connect Core 1.0, section 3.1.2.6).
    public static let interactionRequired = Self(rawValue: "interaction_required")
    /// The user must sign in (OpenID Connect Core 1.0, section 3.1.2.6).
    public static let loginRequired = Self(rawValue: "login_required")
    /// The user must select an account (OpenID Connect Core 1.0, section 3.1.2.6).
    public static let accountSelectionRequired = Self(rawValue: "account_selection_required")
    /// The user must give consent (OpenID Connect Core 1.0, section 3.1.2.6).
    public static let consentRequired = Self(rawValue: "consent_required")
}

/// The parsing of unsuccessful responses.
enum ErrorResponseParser {
    /// Checks that a response has the expected status.
    ///
    /// - Throws: ``OAuthError`` or ``HTTPStatusError`` for any other status.
    static func check(
        _ response: HTTPResponse,
        is success: Int = 200,
        body: [UInt8],
        endpoint: String,
        sent: FormParameters = FormParameters()
    ) throws {
        guard response.status.code != success else { return }
        throw Self.error(response, body: body, endpoint: endpoint, sent: sent)
    }

    /// Returns the server's error, or the HTTP status if the response does not contain a readable error.
    static func error(_ response: HTTPResponse, body: [UInt8], endpoint: String, sent: FormParameters) -> any Error {
        let status = Int(response.status.code)
        let retryAfter = response.retryAfter(at: nil).map { Int(clamping: $0.components.seconds) }
        guard status >= 400,
            let fields = try? JSONValue(parsing: body, limits: JSONLimits(maximumDepth: 32, maximumBytes: 1 << 16)),
            let code = fields["error"]?.string, !code.isEmpty
        else {
            return HTTPStatusError(status: status, endpoint: endpoint, retryAfter: retryAfter)
        }
        return OAuthError(
            OAuthError.Code(rawValue: code),
            serverDescription: fields["error_description"]?.string,
            errorURI: fields["error_uri"]?.string,
            status: status,
            retryAfter: retryAfter,
            subtype: fields["error_subtype"]?.string,
            serverDate: response.serverDate
        )
        .without(ExchangeSecrets(sent.secrets))
    }
}
