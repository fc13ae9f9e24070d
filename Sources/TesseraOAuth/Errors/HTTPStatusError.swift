// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// An endpoint answered with a status that is no success and without an OAuth error: a proxy's page, a 503, an empty 400.
///
/// - SeeAlso: [RFC 9110, section 15](https://www.rfc-editor.org/rfc/rfc9110.html#section-15)
public struct HTTPStatusError: ErrorGuidance, Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The endpoint's name, for example `token endpoint`.
    public let endpoint: String
    /// Seconds to wait before the next try, where the server named them (`Retry-After`).
    public let retryAfter: Int?

    /// An unexpected status.
    public init(status: Int, endpoint: String, retryAfter: Int? = nil) {
        self.status = status
        self.endpoint = endpoint
        self.retryAfter = retryAfter
    }

    /// Whether the server is only busy: 408, 429 and 5xx except 501, which says that it never implements the request.
    public var isTransient: Bool {
        self.status == 408 || self.status == 429 || ((500...599).contains(self.status) && self.status != 501)
    }
    /// Whether the same request may succeed later.
    public var isRetryable: Bool { self.isTransient }
    /// One line: who answered what.
    public var description: String { "The \(self.endpoint) answered with HTTP status \(self.status)" }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        if self.isTransient {
            return self.retryAfter.map { "Try again in \($0) seconds." } ?? "Wait a little and try again."
        }
        if self.status == 501 { return "The server does not implement this; check the provider's address." }
        if (300...399).contains(self.status) { return "Redirects are not followed here; check the provider's URLs." }
        return "Check the provider's address and that no proxy answers in its place."
    }
}
