// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// Shows the provider's page to the user and receives the redirect: an extension point.
///
/// A user agent uses the user's own browser, never an embedded view (RFC 8252, section 8.12).
public protocol UserAgent: Sendable {
    /// Starts to receive redirects.
    ///
    /// - Parameter responseMode: How the response will arrive.
    /// - Returns: A receiver, which its user closes.
    /// - Throws: ``SignInError``: `invalidConfiguration` if the agent cannot receive a response in this mode, `noListener`.
    func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver
}

extension UserAgent {
    /// Calls `body` with a receiver and closes it afterwards, also if `body` throws or the task is cancelled.
    public func withRedirectReceiver<Result: Sendable>(
        responseMode: ResponseMode = .query,
        _ body: (RedirectReceiver) async throws -> Result
    ) async throws -> Result {
        let receiver = try await self.makeRedirectReceiver(responseMode: responseMode)
        do {
            let result = try await body(receiver)
            await receiver.close()
            return result
        } catch {
            await receiver.close()
            throw error
        }
    }
}
