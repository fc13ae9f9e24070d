// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
public import Tessera
package import TesseraOAuth

/// How a fetcher makes calls.
public struct FetchSettings: Sendable {
    /// Which failures are temporary.
    public var retryPolicy: any RetryPolicy
    /// How often a call is made again after a temporary failure, and when.
    public var backoff: Backoff
    /// Which redirects are followed.
    public var redirects: RedirectPolicy
    /// Handle each call before it is sent; the first one sees it first.
    public var interceptors: [any FetchInterceptor]
    /// Limits how many calls go to a host at a time; nil for no limit.
    public var limiter: HostLimiter?
    /// Makes the error of a failed call, without the secrets; nil for HTTP's own errors.
    package var failure: (@Sendable (HTTPResponse, [UInt8], _ secrets: CarriedSecrets) -> any Error)?

    /// Creates settings: by default with HTTP's retry rules for up to 2 minutes, and redirects within an origin.
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

/// Options of one call.
public struct CallOptions: Sendable, Hashable {
    /// Whether the call can be made twice without harm; nil to decide by its method and fields.
    ///
    /// GET, HEAD, OPTIONS, TRACE, PUT and DELETE can, and calls with `Idempotency-Key` or `If-Match`.
    public var isIdempotent: Bool?
    /// Calls with a higher priority go first where ``FetchSettings/limiter`` makes calls wait.
    public var priority: Int
    /// Replaces the fetcher's own backoff.
    public var backoff: Backoff?
    /// Whether the call has a token; public APIs are called with a key instead.
    package var hasToken = true

    /// Creates options.
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
