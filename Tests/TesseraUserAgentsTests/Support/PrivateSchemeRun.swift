// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraOAuth
internal import TesseraUserAgents
internal import Testing

/// A sign-in with a browser whose redirect arrives through a private scheme.
enum PrivateSchemeRun {
    static let redirectURI = "com.example.app:/callback"

    /// Starts a sign-in and returns its notice and the task that waits for its redirect.
    static func begin(
        _ redirects: ForwardedRedirects,
        redirectURI: String = Self.redirectURI,
        timeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock(),
        forwarding: RedirectForwarding? = nil
    ) async throws -> (notice: PresentationNotice?, outcome: Task<String, any Error>) {
        let (notices, continuation) = AsyncStream.makeStream(of: PresentationNotice.self)
        let browser = SystemBrowser(command: .none, environment: [:]) { continuation.yield($0) }
        let agent = PrivateSchemeBrowser(
            redirectURI: redirectURI,
            redirects: redirects,
            forwarding: forwarding,
            browser: browser
        )
        let url = try #require(URL(string: "https://as.example/authorize"))
        let task = Task {
            defer { continuation.finish() }
            return
                try await agent.redirect(from: url, timeout: timeout, clock: clock) { response in
                    try await SignInRun.judge(response.text)
                }
                .text
        }
        var iterator = notices.makeAsyncIterator()
        return (await iterator.next(), task)
    }
}
