// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth

/// A Google API said no: its error in either of Google's two forms, or in both at once.
///
/// Texts are Google's own, each cut to 1,000 characters; what they repeat of the call's token is taken out.
///
/// - SeeAlso: [Errors, AIP-193](https://google.aip.dev/193),
///   [Resolve errors, Drive API](https://developers.google.com/workspace/drive/api/guides/handle-errors)
public struct GoogleAPIError: Error, Sendable, Hashable {
    /// One of the older form's errors.
    public struct Reason: Sendable, Hashable {
        /// Such as `usageLimits` and `global`.
        public var domain: String?
        /// Such as `rateLimitExceeded` and `notFound`.
        public var reason: String
        /// What it says to people.
        public var message: String?
        /// `parameter` or `header`, where it is about one.
        public var locationType: String?
        /// Which parameter or header.
        public var location: String?
        /// Where more is said.
        public var extendedHelp: String?
    }

    /// The HTTP status.
    public let httpStatus: Int
    /// The canonical code of the newer form, such as `PERMISSION_DENIED` and `RESOURCE_EXHAUSTED`.
    public var status: String?
    /// What it says to people.
    public var message: String?
    /// The errors of the older form.
    public var reasons: [Reason] = []
    /// The details of the newer form.
    public var details: [GoogleErrorDetail] = []
    /// The scopes that would do, where the API names them.
    public var neededScopes: [Scope] = []
    /// How long to wait before the next try at least, in seconds, where the API says so.
    public var retryAfter: Double?

    /// An error of that status, and nothing more.
    public init(httpStatus: Int) { self.httpStatus = httpStatus }

    /// Every reason of both forms, such as `rateLimitExceeded` and `RATE_LIMIT_EXCEEDED`.
    public var reasonNames: [String] {
        self.reasons.map(\.reason)
            + self.details.compactMap { if case .errorInfo(let information) = $0 { information.reason } else { nil } }
    }

    /// Google's identifier of the request, to be named to its support.
    public var requestID: String? {
        self.details.lazy.compactMap { if case .requestInfo(let id) = $0 { id } else { nil } }.first
    }

    /// Whether the granted scopes do not suffice: another token does not help, more scopes do.
    public var isInsufficientScope: Bool {
        self.httpStatus == 403
            && (!self.neededScopes.isEmpty
                || self.reasonNames.contains {
                    ["insufficientPermissions", "insufficientScopes", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"].contains($0)
                })
    }

    /// Whether calls came too quickly: a little later the same one succeeds.
    ///
    /// A quota for a day (`dailyLimitExceeded`, `quotaExceeded`) is none of these.
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
    /// The error of an answer whose status is no success; the body may be anything.
    public init(_ response: HTTPResponse, body: [UInt8]) {
        self.init(response, body: body, without: nil)
    }

    /// The error without what it repeats of these secrets.
    init(_ response: HTTPResponse, body: [UInt8], without secrets: CarriedSecrets?) {
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
    /// Whether the API is only busy, or calls came too quickly.
    public var isRetryable: Bool {
        self.isRateLimited || [408, 500, 502, 503, 504].contains(self.httpStatus)
    }

    /// One line: what the API said.
    public var description: String {
        let name = self.reasonNames.first ?? self.status
        let words = self.message.map { ": " + UntrustedText.printable($0) } ?? ""
        let reason = name.map { ", " + UntrustedText.printable($0) } ?? ""
        return "The API refused the call (HTTP \(self.httpStatus)\(reason))\(words)"
    }

    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        if self.isInsufficientScope {
            let scopes = UntrustedText.printable(self.neededScopes.map(\.rawValue).joined(separator: " "))
            return "Ask the person for more scopes" + (scopes.isEmpty ? "." : ": " + scopes)
        }
        if self.isRetryable {
            return self.retryAfter.map { "Try again in \(Int64($0.rounded(.up))) seconds." }
                ?? "Wait a little and try again."
        }
        let names = self.reasonNames
        if names.contains(where: { ["accessNotConfigured", "SERVICE_DISABLED"].contains($0) }) {
            return "Enable this API for the client's project in Google's console, and try again some minutes later."
        }
        if names.contains(where: { ["dailyLimitExceeded", "quotaExceeded"].contains($0) }) {
            return "The quota is used up: wait until it is renewed, or ask for more in Google's console."
        }
        switch self.httpStatus {
        case 401: return "Sign in again if it stays so; the access may have been revoked."
        case 404: return "Check the identifier, and whether the granted scopes may see it."
        case 412: return "It was changed meanwhile: read it again, then change it."
        default: break
        }
        for case .help(let links) in self.details {
            if let link = links.first { return "See " + UntrustedText.printable(link.url) }
        }
        return "Check the call against the API's reference."
    }
}
