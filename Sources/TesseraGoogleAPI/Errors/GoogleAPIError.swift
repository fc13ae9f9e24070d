// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
