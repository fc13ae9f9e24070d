// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraOAuth

extension UserAgent {
    /// Shows a page and returns the first redirect for which `accept` returns a completion page, as a sign-in does.
    func redirect(
        from url: URL,
        timeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock(),
        responseMode: ResponseMode = .query,
        accept: @Sendable (DeliveredResponse) async throws -> CompletionPage? = { _ in nil }
    ) async throws -> DeliveredResponse {
        try await self.withRedirectReceiver(responseMode: responseMode) { receiver in
            try await receiver.present(url.absoluteString)
            let deadline = RedirectDeadline(after: timeout, on: clock)
            while let redirect = try await receiver.nextRedirect(until: deadline) {
                do {
                    if let page = try await accept(redirect.response) {
                        await redirect.reply(.completed(page))
                        return redirect.response
                    }
                    await redirect.reply(.unrelated(reason: "the state is another one"))
                } catch {
                    await redirect.reply(.failed(error))
                    throw error
                }
            }
            throw SignInError(.canceled)
        }
    }
}
