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

/// Receives the only redirect of a page that closes itself with it, such as the system's sign-in sheet.
final class SheetReceiver: Sendable {
    private struct State {
        var page: URL?
        /// Why the redirect does not belong to the sign-in.
        var mismatch: String?
    }

    private let show: @Sendable (_ page: URL) async throws -> URL
    private let state = Mutex(State())

    /// Creates a receiver.
    ///
    /// - Parameter show: Shows the page and returns its redirect. If its task is cancelled it takes the page away.
    init(_ show: @escaping @Sendable (_ page: URL) async throws -> URL) { self.show = show }

    /// The receiver for a sign-in.
    func receiver(redirectURI: String) -> RedirectReceiver {
        RedirectReceiver(
            redirectURI: redirectURI,
            present: { page in self.state.withLock { $0.page = page } },
            nextRedirect: { try await self.nextRedirect() },
            close: {}
        )
    }

    /// The page is shown while its redirect is awaited, so that the end of the wait takes it away.
    private func nextRedirect() async throws -> Redirect? {
        let (page, mismatch) = self.state.withLock { ($0.page.take(), $0.mismatch) }
        guard let page else { throw SignInError(.givenUp, detail: mismatch) }
        return Redirect(.redirect(try await self.show(page).absoluteString)) { reply in
            guard case .unrelated(let reason) = reply else { return }
            self.state.withLock { $0.mismatch = reason }
        }
    }
}
