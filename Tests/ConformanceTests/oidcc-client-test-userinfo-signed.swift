// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Corresponds to `rp-userinfo-sig` in the older OpenID test suite.
@Suite("oidcc-client-test-userinfo-signed")
struct UserInfoSignedTests {
    @Test("Accepts user information signed with the provider's key")
    func signed() async throws {
        let provider = try ConformanceProvider { $0.signUserInfo = { try $1.sign(payload: $0, type: "JWT") } }
        let claims = try await provider.signIn().userInfo()
        #expect(claims["sub"]?.string == ProviderEndpoints.subject)
        #expect(claims["email"]?.string == "ada@example.com")
        #expect(provider.server.requests(to: "/userinfo").count == 1)
    }

    @Test("Rejects signed user information with alg none or an altered signature", .covers(98))
    func invalid() async throws {
        let none = Base64URL.encode(#"{"alg":"none"}"#.utf8)
        let signs: [(ProtocolViolationError.Rule, @Sendable ([UInt8], JWSSigningKey) throws -> String)] = [
            (.jwsSignature, { try $1.signIncorrectly($0) }),
            (.jwsAlgorithm, { claims, _ in none + "." + Base64URL.encode(claims) + "." }),
        ]
        for (rule, sign) in signs {
            let provider = try ConformanceProvider { $0.signUserInfo = sign }
            let session = try await provider.signIn()
            let error = await #expect(throws: ProtocolViolationError.self) { try await session.userInfo() }
            #expect(error?.rule == rule)
            #expect(provider.server.requests(to: "/userinfo").count == 1)
        }
    }
}
