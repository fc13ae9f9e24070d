// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
