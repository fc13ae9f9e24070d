// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A policy that decides which failures are temporary, for APIs that have their own rules.
///
/// ``Backoff`` determines the number of attempts and the delays. ``StandardRetryPolicy`` implements the rules of HTTP.
/// The fetcher calls the policy once for each failure.
///
/// - SeeAlso: [RFC 9110, section 9.2.2](https://www.rfc-editor.org/rfc/rfc9110.html#section-9.2.2)
public protocol RetryPolicy: Sendable {
    /// Returns whether the policy needs the body of a response.
    ///
    /// At most 1 MiB is read, and the caller can still read the body afterward. A longer body is not passed to the
    /// policy. If its length was not announced, it is lost.
    func readsBody(of response: HTTPResponse) -> Bool

    /// Decides whether to retry a failed call.
    func decision(for failure: CallFailure) -> RetryDecision
}

extension RetryPolicy {
    /// Returns false, which means that the body is not read.
    public func readsBody(of response: HTTPResponse) -> Bool { false }
}

/// A policy's decision about a failed call.
public enum RetryDecision: Sendable, Hashable {
    /// The call is not retried.
    case fail
    /// The call is retried after at least this time.
    case retry(notBefore: Duration = .zero)
}

/// A failed call.
public struct CallFailure: Sendable {
    /// What caused the failure.
    public enum Cause: Sendable {
        /// A response with a status of 400 or higher, and its body if the policy reads it.
        case response(HTTPResponse, body: [UInt8]?)
        /// A transport error that prevented a complete response.
        case transport(TransportError)
        /// No token was available, and nothing was sent.
        case token(any Error)
    }

    /// The request without the token.
    public let request: HTTPRequest
    /// The cause of the failure.
    public let cause: Cause
    /// Whether the call is idempotent and therefore safe to repeat.
    public let isIdempotent: Bool
    /// The time of the failure.
    public let date: Date

    /// Creates a failure to test a policy with.
    public init(request: HTTPRequest, cause: Cause, isIdempotent: Bool, date: Date) {
        self.request = request
        self.cause = cause
        self.isIdempotent = isIdempotent
        self.date = date
    }
}

/// The standard retry rules for HTTP.
///
/// | Failure | Idempotent call | Other call |
/// | --- | --- | --- |
/// | Nothing was sent, because of name resolution, the connection or a temporarily unavailable token | retry | retry |
/// | The connection was lost, timed out or did not use HTTP | retry | final |
/// | 408, 429 (not processed) | retry | retry |
/// | 500, 502, 503, 504 | retry | final |
/// | All other failures | final | final |
///
/// If the response has a `Retry-After` field, given in seconds or as a date, the delay is at least that long.
///
/// - SeeAlso: [RFC 9110, section 10.2.3](https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3),
///   [RFC 6585, section 4](https://www.rfc-editor.org/rfc/rfc6585.html#section-4)
public struct StandardRetryPolicy: RetryPolicy, Hashable {
    /// Creates the policy.
    public init() {}

    /// Returns whether to retry a call, as described in the table above.
    public func decision(for failure: CallFailure) -> RetryDecision {
        switch failure.cause {
        case .token(let error):
            let passes = (error as? any ErrorGuidance)?.isRetryable == true
            return passes ? .retry() : .fail
        case .transport(let error):
            guard error.isRetryable else { return .fail }
            return error.nothingWasSent || failure.isIdempotent ? .retry() : .fail
        case .response(let response, _):
            let isRetried =
                switch response.status.code {
                case 408, 429: true
                case 500, 502, 503, 504: failure.isIdempotent
                default: false
                }
            return isRetried ? .retry(notBefore: response.retryAfter(at: failure.date) ?? .zero) : .fail
        }
    }
}
