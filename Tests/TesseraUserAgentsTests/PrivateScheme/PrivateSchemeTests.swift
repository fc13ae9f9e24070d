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

    @Test("A URL the program is opened with ends the waiting sign-in, regardless of the scheme's case")
    func received() async throws {
        let redirects = ForwardedRedirects()
        let (notice, outcome) = try await PrivateSchemeRun.begin(redirects, redirectURI: "com.Example.app:/callback")
        #expect(notice?.tunnelCommand == nil)
        let redirect = "com.example.app:/callback?code=1&state=right"
        #expect(redirects.receive(try self.url(redirect)))
        #expect(try await outcome.value == redirect)
        #expect(!redirects.receive(try self.url(redirect)))
    }

    @Test("Ignores a forged redirect and leaves other URLs to the program")
    func forged() async throws {
        let redirects = ForwardedRedirects()
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

    @Test("Delivers each redirect to the sign-in it belongs to")
    func two() async throws {
        let redirects = ForwardedRedirects()
        let (_, first) = try await PrivateSchemeRun.begin(redirects)
        let (_, second) = try await PrivateSchemeRun.begin(redirects, redirectURI: "com.example.app:/second")
        #expect(redirects.receive(try self.url("com.example.app:/second?state=right")))
        #expect(redirects.receive(try self.url("com.example.app:/callback?state=right")))
        #expect(try await first.value == "com.example.app:/callback?state=right")
        #expect(try await second.value == "com.example.app:/second?state=right")
    }

    @Test("Accepts no redirect after a timeout or a cancellation")
    func ended() async throws {
        let redirects = ForwardedRedirects()
        let (_, first) = try await PrivateSchemeRun.begin(redirects, timeout: .seconds(1), clock: SelfAdvancingClock())
        await #expect(throws: SignInError.self) { try await first.value }
        let (_, second) = try await PrivateSchemeRun.begin(redirects)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(!redirects.receive(try self.url(PrivateSchemeRun.redirectURI + "?state=right")))
    }
}
