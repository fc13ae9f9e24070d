// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import HTTPTypes
internal import TesseraJSON

/// The authorization server said no: an error response of its token, revocation or authorization endpoint.
///
/// `serverDescription` and `errorURI` are the server's own text: kept as data, cut to 1,000 characters, never
/// interpreted. The code and the subtype are cut to 200.
///
/// - SeeAlso: [RFC 6749, sections 4.1.2.1 and 5.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2)
public struct OAuthError: ErrorGuidance, Sendable, Hashable {
    /// The `error` parameter.
    public let code: Code
    /// The `error_description` parameter.
    public let serverDescription: String?
    /// The `error_uri` parameter.
    public let errorURI: String?
    /// The HTTP status, nil for an error that came in a redirect.
    public let status: Int?
    /// Seconds to wait before the next try, where the server named them (`Retry-After`).
    public let retryAfter: Int?
    /// The `error_subtype` member, where the server has one (Google): a second, narrower code.
    public let subtype: String?
    /// The server's clock when it answered, where it said so (`Date`).
    public let serverDate: Date?

    /// An error response.
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

    /// The error without the secrets that the server repeats in its own words.
    func without(_ secrets: CarriedSecrets) -> OAuthError {
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

    /// Whether the server is only busy: 5xx, 429, `temporarily_unavailable`, `server_error`, `slow_down`.
    public var isTransient: Bool {
        [.temporarilyUnavailable, .serverError, .slowDown].contains(self.code)
            || self.status.map { $0 == 429 || (500...599).contains($0) } ?? false
    }

    /// Whether the code is `invalid_grant` and the server is not only busy.
    public var endsSession: Bool { self.code == .invalidGrant && !self.isTransient }
    /// Whether the same request may succeed later; a server that answers with 501 does not implement it.
    public var isRetryable: Bool { self.isTransient && self.status != 501 }
}

extension OAuthError: CustomStringConvertible {
    /// One line: what the provider said.
    public var description: String {
        let words = self.serverDescription.map { ": " + UntrustedText.printable($0) } ?? ""
        let status = self.status.map { " [HTTP \($0)]" } ?? ""
        return "The provider said no (\(UntrustedText.printable(self.code.rawValue)))\(words)\(status)"
    }

    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        switch self.code {
        case .accessDenied: "Sign in again and allow the access, or ask the account's administrator."
        case .invalidGrant: "Sign in again: the access was revoked, has expired, or the code was used twice."
        case .invalidClient, .unauthorizedClient: "Check the client ID and the client secret."
        case .expiredToken: "Start again: nobody decided in time."
        case .invalidScope: "Ask only for scopes that the provider knows and that this client may use."
        case .loginRequired, .consentRequired, .interactionRequired, .accountSelectionRequired:
            "Sign in with the person present: the provider wants to show a page."
        case _ where self.isRetryable: "Wait a little and try again."
        default: "See the provider's own words; the request or the registration of the client needs a change."
        }
    }
}

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

/// Reads an endpoint's answer that is no success.
enum OAuthErrorResponse {
    /// Lets an answer pass that has the status of a success.
    ///
    /// - Throws: ``OAuthError``, ``HTTPStatusError`` for any other.
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

    /// The server's own error where there is a readable one, else the status.
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
        .without(CarriedSecrets(sent.secrets))
    }
}
