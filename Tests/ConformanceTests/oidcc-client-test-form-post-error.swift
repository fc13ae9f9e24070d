// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// Corresponds to `rp-response_mode-form_post-error` in the older OpenID test suite.
@Suite("oidcc-client-test-form-post-error")
struct FormPostErrorTests {
    @Test(
        "Reports a provider's error from a form post without sending a code",
        arguments: [Variant.codeByFormPost, .hybridByFormPost]
    )
    func refusal(variant: Variant) async throws {
        let provider = try ConformanceProvider()
        var options = variant.options
        options.prompt = [.none]
        options.maxAge = 0
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn([.openID], options) }
        #expect(error?.code.rawValue == "login_required")
        #expect(provider.userAgent.parameter("max_age") == "0")
        #expect(provider.server.requests(to: "/token").isEmpty)
    }
}
