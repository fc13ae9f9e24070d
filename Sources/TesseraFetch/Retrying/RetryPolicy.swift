// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes

/// Says which failures of a call pass by themselves: the door for an API's own rules.
///
/// How often and how long to wait is ``Backoff``'s. ``StandardRetryPolicy`` knows HTTP's rules.
///
/// - SeeAlso: [RFC 9110, section 9.2.2](https://www.rfc-editor.org/rfc/rfc9110.html#section-9.2.2)
public protocol RetryPolicy: Sendable {
    /// Whether an answer has to be read before it can be judged; at most 1 MiB of it is.
    ///
    /// The caller can still read it. A longer one is judged by its head; where it did not say its length, its body is lost.
    func readsBody(of response: HTTPResponse) -> Bool

    /// What a call that failed comes to.
    func verdict(on failure: CallFailure) -> RetryVerdict
}

extension RetryPolicy {
    /// Heads are enough.
    public func readsBody(of response: HTTPResponse) -> Bool { false }
}
