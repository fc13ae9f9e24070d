// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// An unexpected HTTP status without an OAuth error, such as a proxy's page, a 503 or an empty 400.
///
/// - SeeAlso: [RFC 9110, section 15](https://www.rfc-editor.org/rfc/rfc9110.html#section-15)
public struct HTTPStatusError: ErrorGuidance, Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The name of the endpoint, for example `token endpoint`.
    public let endpoint: String
    /// The time to wait before the next attempt, in seconds, if the server specified it (`Retry-After`).
    public let retryAfter: Int?

    /// Creates an error for an unexpected status.
    public init(status: Int, endpoint: String, retryAfter: Int? = nil) {
        self.status = status
        self.endpoint = endpoint
        self.retryAfter = retryAfter
    }

    /// Whether the failure may be temporary, which is the case for 408, 429, and 5xx except 501.
    public var isTransient: Bool {
        self.status == 408 || self.status == 429 || ((500...599).contains(self.status) && self.status != 501)
    }
    /// Whether the same request may succeed later.
    public var isRetryable: Bool { self.isTransient }
    /// A one-line description that contains the endpoint and the status.
    public var description: String { "The \(self.endpoint) responded with HTTP status \(self.status)" }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        if self.isTransient {
            return self.retryAfter.map { "Try again in \($0) seconds." } ?? "Wait a moment and try again."
        }
        if self.status == 501 { return "Check the provider's address. The server does not implement this request." }
        if (300...399).contains(self.status) { return "Check the provider's URLs. Redirects are not followed." }
        return "Check the provider's address, and whether a proxy responds in its place."
    }
}
