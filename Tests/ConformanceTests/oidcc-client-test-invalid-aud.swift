// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// `rp-id_token-aud` of the older suite.
@Suite("oidcc-client-test-invalid-aud")
struct InvalidAudienceTests {
    @Test(
        "An ID token for another client is refused",
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
