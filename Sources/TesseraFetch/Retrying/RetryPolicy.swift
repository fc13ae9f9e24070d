// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Decides which failures of a call are temporary: the extension point for an API's own rules.
///
/// ``Backoff`` decides how often to try again and how long to wait. ``StandardRetryPolicy`` has HTTP's rules. A policy is
/// asked once per failure.
///
/// - SeeAlso: [RFC 9110, section 9.2.2](https://www.rfc-editor.org/rfc/rfc9110.html#section-9.2.2)
public protocol RetryPolicy: Sendable {
    /// Whether the policy needs the body of a response; at most 1 MiB is read.
    ///
    /// The caller can still read the body. A longer one is not read for the policy, and is lost if its length was unknown.
    func readsBody(of response: HTTPResponse) -> Bool

    /// Decides whether a failed call is made again.
    func verdict(on failure: CallFailure) -> RetryVerdict
}

extension RetryPolicy {
    /// Returns false.
    public func readsBody(of response: HTTPResponse) -> Bool { false }
}

/// Whether a failed call is made again.
public enum RetryVerdict: Sendable, Hashable {
    /// The failure is the call's result.
    case final
    /// The call is made again after at least this time.
    case again(notBefore: Duration = .zero)
}

/// A call that failed, as a ``RetryPolicy`` sees it.
public struct CallFailure: Sendable {
    /// How a call failed.
    public enum Outcome: Sendable {
        /// With a status of 400 or more; with its body if the policy reads it.
        case response(HTTPResponse, body: [UInt8]?)
        /// Without a response, or with one that broke off.
        case transport(TransportError)
        /// Without a token: nothing was sent.
        case token(any Error)
    }

    /// The request, without the token.
    public let request: HTTPRequest
    /// How the call failed.
    public let outcome: Outcome
    /// Whether the call can be made twice without harm.
    public let isIdempotent: Bool
    /// When the call failed.
    public let date: Date

    /// Creates a failure, for tests of a policy.
    public init(request: HTTPRequest, outcome: Outcome, isIdempotent: Bool, date: Date) {
        self.request = request
        self.outcome = outcome
        self.isIdempotent = isIdempotent
        self.date = date
    }
}

/// HTTP's own rules for what is made again, and when.
///
/// | failure | idempotent call | any other |
/// | --- | --- | --- |
/// | nothing was sent: no name, no connection, no token for now | again | again |
/// | connection lost, no answer in time, no HTTP | again | final |
/// | 408, 429: not carried out | again | again |
/// | 500, 502, 503, 504 | again | final |
/// | anything else | final | final |
///
/// The wait is never shorter than `Retry-After`, in seconds or as a date.
///
/// - SeeAlso: [RFC 9110, section 10.2.3](https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3),
///   [RFC 6585, section 4](https://www.rfc-editor.org/rfc/rfc6585.html#section-4)
public struct StandardRetryPolicy: RetryPolicy, Hashable {
    /// Creates the policy.
    public init() {}

    /// Returns the verdict in the table.
    public func verdict(on failure: CallFailure) -> RetryVerdict {
        switch failure.outcome {
        case .token(let error):
            let passes = (error as? any ErrorGuidance)?.isRetryable == true
            return passes ? .again() : .final
        case .transport(let error):
            guard error.isRetryable else { return .final }
            return error.nothingWasSent || failure.isIdempotent ? .again() : .final
        case .response(let response, _):
            let isRetried =
                switch response.status.code {
                case 408, 429: true
                case 500, 502, 503, 504: failure.isIdempotent
                default: false
                }
            return isRetried ? .again(notBefore: response.retryAfter(at: failure.date) ?? .zero) : .final
        }
    }
}
