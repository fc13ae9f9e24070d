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
