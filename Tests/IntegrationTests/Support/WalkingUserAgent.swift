// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraLocalProvider
internal import TesseraOAuth

/// A user agent without a browser, which follows a provider's pages and delivers the redirect.
struct WalkingUserAgent: UserAgent {
    /// A redirect URI on whose port no server listens.
    static let redirectURI = "http://127.0.0.1:9/"

    /// Follows the pages from the authorization URL and returns the redirect.
    var walk: @Sendable (_ authorizationURL: String) async throws -> String

    func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        let (pages, page) = AsyncStream.makeStream(of: String.self)
        return RedirectReceiver(
            redirectURI: Self.redirectURI,
            present: { url in
                page.yield(url.absoluteString)
                page.finish()
            },
            nextRedirect: {
                guard let url = await pages.first(where: { _ in true }) else { return nil }
                return Redirect(.redirect(try await self.walk(url))) { _ in }
            },
            close: {}
        )
    }
}

#if LocalProvider
extension WalkingUserAgent {
    /// Creates a user agent for the pages of the local provider.
    init(walk: ConsentWalk) {
        self.init { url in try await walk.redirect(from: url) }
    }
}
#endif
