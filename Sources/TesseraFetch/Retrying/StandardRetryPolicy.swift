// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth

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
