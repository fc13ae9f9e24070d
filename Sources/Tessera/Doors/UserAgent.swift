// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraOAuth

/// Shows the provider's page to the person and brings the redirect back: the door to a browser.
///
/// The contract: the person's own browser, never an embedded view (RFC 8252, section 8.12); whatever receives the
/// redirect is closed when `authorize` returns, throws or is cancelled; a redirect that was judged
/// ``RedirectVerdict/notOurs(_:)`` leaves the wait as it was; the first other verdict ends it.
public protocol UserAgent: Sendable {
    /// Asks `request` for the authorization URL that fits this agent's redirect URI, shows it, and hands every answer
    /// that arrives to `judge`, one at a time, until one is accepted or `judge` throws.
    ///
    /// - Parameters:
    ///   - timeout: how long the person may take.
    ///   - responseMode: how the answer will come. An agent that cannot receive it so throws before it shows anything.
    ///   - request: makes the authorization URL for a redirect URI.
    ///   - judge: looks at an answer, exactly as it arrived. It returns when the session is saved; what
    ///     it throws is shown to the person as a failure and thrown on.
    /// - Returns: what `judge` accepted.
    /// - Throws: ``SignInError`` `timedOut`, `noBrowser`, `invalidConfiguration`, …; what `request` and `judge` throw; `CancellationError`.
    func authorize<Value: Sendable>(
        timeout: Duration,
        responseMode: ResponseMode,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ delivered: DeliveredResponse) async throws -> RedirectVerdict<Value>
    ) async throws -> Value
}
