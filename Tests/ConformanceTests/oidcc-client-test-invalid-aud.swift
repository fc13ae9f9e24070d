// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// Corresponds to `rp-id_token-aud` in the older OpenID test suite.
@Suite("oidcc-client-test-invalid-aud")
struct InvalidAudienceTests {
    @Test(
        "Rejects an ID token for another client",
        .covers(90),
        .shows(claims: 36),
        arguments: [["other"], ["other", "third"], []]
    )
    func audience(_ clients: [String]) async throws {
        let provider = try ConformanceProvider {
            $0.idToken = { $0["aud"] = .array(clients.map { .string($0) }) }
        }
        try await provider.expectRefusal(clients.isEmpty ? .jwtClaims : .jwtAudience)
    }
}
