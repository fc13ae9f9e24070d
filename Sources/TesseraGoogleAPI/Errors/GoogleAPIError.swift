// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth

/// An error response from a Google API, in one or both of Google's error formats.
///
/// The messages come from Google. Each is truncated to 1,000 characters, and the call's secrets, such as its token, are
/// removed.
///
/// - SeeAlso: [Errors, AIP-193](https://google.aip.dev/193),
///   [Resolve errors, Drive API](https://developers.google.com/workspace/drive/api/guides/handle-errors)
public struct GoogleAPIError: Error, Sendable, Hashable {
    /// An error in the older format.
    public struct Reason: Sendable, Hashable {
        /// The domain of the error, such as `usageLimits` or `global`.
        public var domain: String?
        /// The reason, such as `rateLimitExceeded` or `notFound`.
        public var reason: String
        /// The human-readable message.
        public var message: String?
        /// The kind of location, either `parameter` or `header`, if there is one.
        public var locationType: String?
        /// The name of the parameter or header.
        public var location: String?
        /// A link to more information.
        public var extendedHelp: String?
    }

    /// The HTTP status code.
    public let httpStatus: Int
    /// The canonical code in the newer format, such as `PERMISSION_DENIED` or `RESOURCE_EXHAUSTED`.
    public var status: String?
    /// The human-readable message.
    public var message: String?
    /// The errors in the older format.
    public var reasons: [Reason] = []
    /// The details in the newer format.
    public var details: [GoogleErrorDetail] = []
    /// The scopes that permit the call, if the API lists them.
    public var neededScopes: [Scope] = []
    /// The minimum delay in seconds before the next attempt, if the API specifies it.
    public var retryAfter: Double?

    /// Creates an error that has only a status code.
    public init(httpStatus: Int) { self.httpStatus = httpStatus }

    /// The reasons from both formats, such as `rateLimitExceeded` and `RATE_LIMIT_EXCEEDED`.
    public var reasonNames: [String] {
        self.reasons.map(\.reason)
            + self.details.compactMap { if case .errorInfo(let information) = $0 { information.reason } else { nil } }
    }

    /// Google's identifier for the request, which is useful when you contact Google's support.
    public var requestID: String? {
        self.details.lazy.compactMap { if case .requestInfo(let id) = $0 { id } else { nil } }.first
    }

    /// Whether the granted scopes are insufficient, in which case the call requires more scopes rather than another
    /// token.
    public var isInsufficientScope: Bool {
        self.httpStatus == 403
            && (!self.neededScopes.isEmpty
                || self.reasonNames.contains {
                    ["insufficientPermissions", "insufficientScopes", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"].contains($0)
                })
    }

    /// Whether the call was rejected by a rate limit, in which case it may succeed after a delay.
    ///
    /// Daily quotas (`dailyLimitExceeded`, `quotaExceeded`) are not rate limits.
    public var isRateLimited: Bool {
        let names = self.reasonNames
        if names.contains(where: { ["rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"].contains($0) })
        {
            return true
        }
        return self.httpStatus == 429 && !names.contains { ["dailyLimitExceeded", "quotaExceeded"].contains($0) }
    }
}

extension GoogleAPIError {
    /// Creates an error from an unsuccessful response with any kind of body.
    public init(_ response: HTTPResponse, body: [UInt8]) {
        self.init(response, body: body, without: nil)
    }

    /// Creates an error from an unsuccessful response and removes the secrets from it.
    init(_ response: HTTPResponse, body: [UInt8], without secrets: ExchangeSecrets?) {
        self.init(httpStatus: response.status.code)
        GoogleErrorReader(secrets: secrets).read(body, into: &self)
        guard var challenge = BearerChallengeError(response) else { return }
        if let secrets { challenge = challenge.without(secrets) }
        if challenge.isInsufficientScope { self.neededScopes = challenge.scope }
        if self.message == nil { self.message = challenge.serverDescription }
        if self.status == nil { self.status = challenge.error }
    }
}

extension GoogleAPIError: ErrorGuidance {
    /// Whether repeating the call may succeed, because the cause was a rate limit or a temporary server error.
    public var isRetryable: Bool {
        self.isRateLimited || [408, 500, 502, 503, 504].contains(self.httpStatus)
    }

    /// A one-line description that includes the API's message.
    public var description: String {
        let name = self.reasonNames.first ?? self.status
        let words = self.message.map { ": " + UntrustedText.printable($0) } ?? ""
        let reason = name.map { ", " + UntrustedText.printable($0) } ?? ""
        return "The API rejected the call (HTTP \(self.httpStatus)\(reason))\(words)"
    }

    /// A suggested next step for the user or the developer.
    public var recoverySuggestion: String? {
        if self.isInsufficientScope {
            let scopes = UntrustedText.printable(self.neededScopes.map(\.rawValue).joined(separator: " "))
            return "Ask the user to grant more scopes" + (scopes.isEmpty ? "." : ": " + scopes)
        }
        if self.isRetryable {
            return self.retryAfter.map { "Try again in \(Int64($0.rounded(.up))) seconds." }
                ?? "Wait a moment and try again."
        }
        let names = self.reasonNames
        if names.contains(where: { ["accessNotConfigured", "SERVICE_DISABLED"].contains($0) }) {
            return "Enable this API for the project in the Google Cloud console, then try again in a few minutes."
        }
        if names.contains(where: { ["dailyLimitExceeded", "quotaExceeded"].contains($0) }) {
            return "The quota is exhausted. Wait until it resets, or request more in the Google Cloud console."
        }
        switch self.httpStatus {
        case 401: return "Sign in again if the error persists. The access may have been revoked."
        case 404: return "Check the identifier, and whether the granted scopes include access to it."
        case 412: return "The resource has changed. Read it again before changing it."
        default: break
        }
        for case .help(let links) in self.details {
            if let link = links.first { return "See " + UntrustedText.printable(link.url) }
        }
        return "Check the call against the API's reference documentation."
    }
}
