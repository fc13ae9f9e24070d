// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
package import TesseraOAuth

/// How calls are made.
public struct FetchSettings: Sendable {
    /// Which failures pass by themselves.
    public var retryPolicy: any RetryPolicy
    /// How often such a call is made again, and when.
    public var backoff: Backoff
    /// Which redirects are followed.
    public var redirects: RedirectPolicy
    /// Who stands between a call and its sending; the first one sees it first.
    public var interceptors: [any FetchInterceptor]
    /// How many calls go to a host at a time; nil for as many as there are.
    public var limiter: HostLimiter?
    /// What an API's own errors say; nil for those of HTTP.
    ///
    /// It has to take the secrets out.
    package var failure: (@Sendable (HTTPResponse, [UInt8], _ secrets: CarriedSecrets) -> any Error)?

    /// HTTP's rules for what is made again, up to two minutes; redirects within an origin.
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
