// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraTesting
internal import Testing

/// A JWT without a signature cannot be read, so it is ignored like a response with another state.
@Suite("fapi2-security-profile-final-client-test-ensure-jarm-signature-is-not-none")
struct JARMUnsignedTests {
    @Test("Ignores an unsigned JWT in place of a signed response", arguments: FAPIVariant.allCases)
    func response(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.signResponse = { claims, _ in .unsigned(claims) } }
        var options = SignInOptions()
        options.responseMode = .jwt
        await #expect(throws: SignInError(.timedOut)) { try await provider.signIn([.openID], options) }
        #expect(provider.userAgent.reasons.count == 1)
        #expect(provider.server.requests(to: "/token").isEmpty)
    }
}
