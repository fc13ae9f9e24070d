// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Corresponds to `rp-discovery-issuer-not-matching-config` in the older OpenID test suite.
@Suite("oidcc-client-test-discovery-issuer-mismatch")
struct DiscoveryIssuerMismatchTests {
    @Test(
        "Rejects metadata of another issuer before any other request",
        .covers(1, 2),
        .shows(claims: 35),
        arguments: ["https://evil.example", "/"]
    )
    func mismatch(_ other: String) async throws {
        let provider = try ConformanceProvider {
            $0.metadata = { metadata in
                guard case .string(let issuer) = metadata["issuer"] else { return }
                metadata["issuer"] = .string(other == "/" ? issuer + "/" : other)
            }
        }
        try await provider.expectRefusal(.issuerMatch)
        #expect(provider.server.requests.allSatisfy { $0.path == "/.well-known/openid-configuration" })
    }
}
