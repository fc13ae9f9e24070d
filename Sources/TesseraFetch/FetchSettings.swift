// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
public import Tessera
package import TesseraOAuth

/// The settings for calls that a fetcher makes.
public struct FetchSettings: Sendable {
    /// The policy that decides which failures are temporary.
    public var retryPolicy: any RetryPolicy
    /// The number and timing of retries after temporary failures.
    public var backoff: Backoff
    /// The policy that determines which redirects are followed.
    public var redirects: RedirectPolicy
    /// The interceptors, which are called in order for each attempt.
    public var interceptors: [any FetchInterceptor]
    /// The limiter for concurrent calls to a host, or nil for no limit.
    public var limiter: HostLimiter?
    /// Creates the error for a failed call, with the secrets removed, or nil for the standard HTTP errors.
    package var failure: (@Sendable (HTTPResponse, [UInt8], _ secrets: ExchangeSecrets) -> any Error)?

    /// Creates settings, which by default use HTTP's retry rules for up to 2 minutes and follow redirects within an
    /// origin.
    public init(
        retryPolicy: any RetryPolicy = StandardRetryPolicy(),
        backoff: Backoff = Backoff(),
        redirects: RedirectPolicy = .sameOrigin,
        interceptors: [any FetchInterceptor] = [],
        limiter: HostLimiter? = nil
    ) {
        self.retryPolicy = retryPolicy
        self.backoff = backoff
        self.redirects = redirects
        self.interceptors = interceptors
        self.limiter = limiter
    }
}

/// The options for a call.
public struct CallOptions: Sendable, Hashable {
    /// Whether the call is idempotent, or nil to infer this from its method and header fields.
    ///
    /// GET, HEAD, OPTIONS, TRACE, PUT and DELETE requests are idempotent, as are requests that have an
    /// `Idempotency-Key` field or an `If-Match` field other than `*`.
    public var isIdempotent: Bool?
    /// The call's priority when ``FetchSettings/limiter`` delays calls.
    ///
    /// Calls with higher values go first.
    public var priority: Int
    /// The backoff for this call, which replaces the fetcher's.
    public var backoff: Backoff?
    /// Whether the call is authorized by a token rather than by an API key.
    package var hasToken = true

    /// Creates the options for a call.
    public init(isIdempotent: Bool? = nil, priority: Int = 0, backoff: Backoff? = nil) {
        self.isIdempotent = isIdempotent
        self.priority = priority
        self.backoff = backoff
    }

    package func isIdempotent(_ request: HTTPRequest) -> Bool {
        if let isIdempotent { return isIdempotent }
        switch request.method {
        case .get, .head, .options, .trace, .put, .delete: return true
        default: break
        }
        let fields = request.headerFields
        return fields[.ifMatch].map { $0 != "*" } == true
            || fields.contains(Self.idempotencyKey)
    }

    private static let idempotencyKey = HTTPField.Name(known: "Idempotency-Key")
}
