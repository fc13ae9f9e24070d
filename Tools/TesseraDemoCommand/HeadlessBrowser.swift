// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && CommandLine
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraSupport
internal import Tessera
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import TesseraUserAgents

/// Stands in for a browser and a person: the redirect still travels over HTTP to a real listener.
final class HeadlessBrowser: UserAgent {
    private let walk: ConsentWalk
    private let failure = Mutex<(any Error)?>(nil)

    init(_ walk: ConsentWalk) { self.walk = walk }

    func authorize<Value: Sendable>(
        timeout: Duration,
        responseMode: ResponseMode,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ delivered: DeliveredResponse) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
        let browser = SystemBrowser(command: .none) { notice in
            Task { await self.visit(notice.url.absoluteString) }
        }
        do {
            return try await browser.authorize(
                timeout: min(timeout, .seconds(10)),
                responseMode: responseMode,
                request: request,
                judge: judge
            )
        } catch {
            throw self.failure.withLock { $0 } ?? error
        }
    }

    private func visit(_ address: String) async {
        do {
            _ = try await self.walk.deliver(try await self.walk.redirect(from: address))
        } catch {
            self.failure.withLock { $0 = error }
        }
    }
}
#endif
