// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraTesting
internal import TesseraUserAgents
internal import Testing

@Suite("Redirects through a private scheme", .timeLimit(.minutes(1)))
struct PrivateSchemeTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test("A URL that the program is opened with ends the sign-in that waits for it, whatever the scheme's case")
    func received() async throws {
        let redirects = HandedRedirects()
        let (notice, outcome) = try await PrivateSchemeRun.begin(redirects, redirectURI: "com.Example.app:/callback")
        #expect(notice?.tunnelCommand == nil)
        let redirect = "com.example.app:/callback?code=1&state=right"
        #expect(redirects.receive(try self.url(redirect)))
        #expect(try await outcome.value == redirect)
        #expect(!redirects.receive(try self.url(redirect)))
    }

    @Test("A forged redirect changes nothing, and other URLs are the program's own")
    func forged() async throws {
        let redirects = HandedRedirects()
        let (_, outcome) = try await PrivateSchemeRun.begin(redirects)
        for other in [
            "com.example.app:/other?state=right", "com.example.other:/callback?state=right",
            "com.example.app://callback?state=right", "com.example.app:/callback/?state=right",
        ] { #expect(!redirects.receive(try self.url(other))) }
        for forged in ["?code=1&state=wrong", "?error=access_denied&state=wrong", "", "#code=1"] {
            #expect(redirects.receive(try self.url(PrivateSchemeRun.redirectURI + forged)))
        }
        #expect(redirects.receive(try self.url(PrivateSchemeRun.redirectURI + "?code=2&state=right")))
        #expect(try await outcome.value == PrivateSchemeRun.redirectURI + "?code=2&state=right")
    }

    @Test("Of two sign-ins each gets its own answer")
    func two() async throws {
        let redirects = HandedRedirects()
        let (_, first) = try await PrivateSchemeRun.begin(redirects)
        let (_, second) = try await PrivateSchemeRun.begin(redirects, redirectURI: "com.example.app:/second")
        #expect(redirects.receive(try self.url("com.example.app:/second?state=right")))
        #expect(redirects.receive(try self.url("com.example.app:/callback?state=right")))
        #expect(try await first.value == "com.example.app:/callback?state=right")
        #expect(try await second.value == "com.example.app:/second?state=right")
    }

    @Test("After the time-out, and after a cancellation, nobody waits any more")
    func ended() async throws {
        let redirects = HandedRedirects()
        let (_, late) = try await PrivateSchemeRun.begin(redirects, timeout: .seconds(1), clock: ImpatientClock())
        await #expect(throws: SignInError.self) { try await late.value }
        let (_, cancelled) = try await PrivateSchemeRun.begin(redirects)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(!redirects.receive(try self.url(PrivateSchemeRun.redirectURI + "?state=right")))
    }
}
