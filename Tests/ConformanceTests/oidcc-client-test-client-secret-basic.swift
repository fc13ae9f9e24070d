// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Corresponds to `rp-token_endpoint-client_secret_basic` in the older OpenID test suite.
@Suite("oidcc-client-test-client-secret-basic")
struct ClientSecretBasicTests {
    @Test("Authenticates only with HTTP Basic and form-encodes both parts", .covers(62))
    func basic() async throws {
        let provider = try ConformanceProvider()
        try await provider.signIn()
        let request = try #require(provider.server.requests(to: "/token").first)
        let credentials = "conformance:a+secret%3A+100+%25+%2B+%C3%A9"
        let expected = "Basic " + Data(credentials.utf8).base64EncodedString()
        #expect(request.head.headerFields[.authorization] == expected)
        #expect(request.formValue("client_secret") == nil)
    }
}
