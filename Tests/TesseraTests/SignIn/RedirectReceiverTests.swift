// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("Redirect receivers")
struct RedirectReceiverTests {
    private static let redirectURI = "com.example.app:/callback"

    private static func receiver(
        close: @escaping @Sendable () async -> Void = {},
        nextRedirect: @escaping @Sendable () async throws -> Redirect?
    ) -> RedirectReceiver {
        RedirectReceiver(
            redirectURI: Self.redirectURI,
            present: { _ in },
            nextRedirect: nextRedirect,
            close: close
        )
    }

    @Test("Sends the first reply to a redirect and ignores the second")
    func oneReply() async {
        let replies = Mutex<[String]>([])
        let redirect = Redirect(.redirect(Self.redirectURI)) { reply in
            if case .unrelated(let reason) = reply { replies.withLock { $0.append(reason) } }
        }
        await redirect.reply(.unrelated(reason: "first"))
        await redirect.reply(.unrelated(reason: "second"))
        #expect(replies.withLock { $0 } == ["first"])
    }

    @Test("Times out at the deadline")
    func timeout() async throws {
        let (never, _) = AsyncStream.makeStream(of: Redirect.self)
        let receiver = Self.receiver { await never.first { _ in true } }
        let deadline = RedirectDeadline(after: .seconds(1), on: SelfAdvancingClock())
        await #expect(throws: SignInError(.timedOut)) { _ = try await receiver.nextRedirect(until: deadline) }
    }

    @Test("Returns a redirect that arrives at the deadline, because it needs a reply")
    func lastMoment() async throws {
        let receiver = Self.receiver {
            // Ends at the deadline, when the wait is canceled.
            let (never, _) = AsyncStream.makeStream(of: Never.self)
            for await _ in never {}
            return Redirect(.redirect(Self.redirectURI)) { _ in }
        }
        let deadline = RedirectDeadline(after: .seconds(1), on: SelfAdvancingClock())
        #expect(try await receiver.nextRedirect(until: deadline)?.response == .redirect(Self.redirectURI))
    }

    @Test("Returns nil if the user closed the page")
    func closedPage() async throws {
        let receiver = Self.receiver { nil }
        let redirect = try await receiver.nextRedirect(until: RedirectDeadline(after: .seconds(60), on: TestClock()))
        #expect(redirect?.response == nil)
    }

    private struct Agent: UserAgent {
        let close: @Sendable () async -> Void

        func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
            RedirectReceiverTests.receiver(close: self.close) { nil }
        }
    }

    @Test("Closes the receiver once, after a result or an error", arguments: [false, true])
    func close(fails: Bool) async throws {
        let closes = Mutex(0)
        let agent = Agent { closes.withLock { $0 += 1 } }
        let result = try? await agent.withRedirectReceiver { receiver in
            #expect(closes.withLock { $0 } == 0)
            if fails { throw SignInError(.canceled) }
            return receiver.redirectURI
        }
        #expect(result == (fails ? nil : Self.redirectURI))
        #expect(closes.withLock { $0 } == 1)
    }
}
