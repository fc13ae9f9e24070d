// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraTesting
@testable internal import TesseraUserAgents
internal import Testing

@Suite("Redirects of the sign-in sheet")
struct SheetReceiverInternalTests {
    private static let deadline = RedirectDeadline(after: .seconds(300))

    private static func receiver(
        _ show: @escaping @Sendable (URL) async throws -> URL
    ) -> RedirectReceiver {
        SheetReceiver(show).receiver(redirectURI: "com.example.app:/callback")
    }

    @Test("Shows the page and returns its redirect")
    func redirect() async throws {
        let receiver = Self.receiver { page in
            #expect(page.absoluteString == "https://as.example/authorize")
            return try #require(URL(string: "com.example.app:/callback?code=1"))
        }
        try await receiver.present("https://as.example/authorize")
        let redirect = try await receiver.nextRedirect(until: Self.deadline)
        #expect(redirect?.response == .redirect("com.example.app:/callback?code=1"))
    }

    @Test("An unrelated redirect ends the wait with its reason because the sheet is already closed")
    func unrelated() async throws {
        let receiver = Self.receiver { _ in try #require(URL(string: "com.example.app:/callback?code=1")) }
        try await receiver.present("https://as.example/authorize")
        let redirect = try #require(try await receiver.nextRedirect(until: Self.deadline))
        await redirect.reply(.unrelated(reason: "another state"))
        await #expect(throws: SignInError(.canceled, detail: "another state")) {
            _ = try await receiver.nextRedirect(until: Self.deadline)
        }
    }

    @Test("Closes the sheet at the deadline")
    func timeout() async throws {
        let (shown, _) = AsyncStream.makeStream(of: Never.self)
        let receiver = Self.receiver { _ in
            // Ends when the task is canceled.
            for await _ in shown {}
            throw CancellationError()
        }
        try await receiver.present("https://as.example/authorize")
        await #expect(throws: SignInError(.timedOut)) {
            _ = try await receiver.nextRedirect(until: RedirectDeadline(after: .seconds(1), on: SelfAdvancingClock()))
        }
    }
}
