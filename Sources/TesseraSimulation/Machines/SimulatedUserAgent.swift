// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// The browser of a process, whose user consents after some seconds.
struct SimulatedUserAgent: UserAgent {
    private struct InvalidRequestError: Error {}

    let process: SimulatedProcess

    func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        let pending = Mutex<(redirect: String, delay: Int64)?>(nil)
        let process = self.process
        return RedirectReceiver(
            redirectURI: "com.example.app:/redirect",
            present: { url in
                guard let page = process.simulation.provider.authorize(url.absoluteString) else {
                    throw InvalidRequestError()
                }
                pending.withLock { $0 = page }
            },
            nextRedirect: {
                guard let (redirect, delay) = pending.withLock({ $0.take() }) else { return nil }
                try await process.clock.sleep(for: .nanoseconds(delay))
                return Redirect(.redirect(redirect)) { _ in }
            },
            close: {}
        )
    }
}
