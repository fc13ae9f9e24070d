// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// Corresponds to `rp-id_token-issuer-mismatch` in the older OpenID test suite.
@Suite("oidcc-client-test-invalid-iss")
struct InvalidIssuerTests {
    @Test("Rejects an ID token from another issuer", .covers(89))
    func issuer() async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["iss"] = "https://evil.example" } }
        try await provider.expectRefusal(.jwtIssuer)
    }

    @Test("Treats the issuer with a trailing slash as another issuer", .covers(89))
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
