// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// `rp-id_token-issuer-mismatch` of the older suite.
@Suite("oidcc-client-test-invalid-iss")
struct InvalidIssuerTests {
    @Test("An ID token of another issuer is refused", .covers(89))
    func issuer() async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["iss"] = "https://evil.example" } }
        try await provider.expectRefusal(.jwtIssuer)
    }

    @Test("The issuer with a slash behind it is another issuer", .covers(89))
    func slash() async throws {
        let provider = try ConformanceProvider {
            $0.idToken = { claims in
                guard case .string(let issuer) = claims["iss"] else { return }
                claims["iss"] = .string(issuer + "/")
            }
        }
        try await provider.expectRefusal(.jwtIssuer)
    }
}
