// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// `rp-id_token-bad-sig-es256` of the older suite.
@Suite("oidcc-client-test-invalid-sig-es256")
struct InvalidSignatureES256Tests {
    @Test("An ID token whose ES256 signature was altered is refused", .covers(85))
    func altered() async throws {
        let provider = try ConformanceProvider {
            $0.algorithm = .es256
            $0.sign = { try $1.signWrongly($0) }
        }
        try await provider.expectRefusal(.jwsSignature)
    }

    @Test("An ID token signed with ES256 is verified with the provider's key")
    func good() async throws {
        let provider = try ConformanceProvider { $0.algorithm = .es256 }
        #expect(try await provider.signIn().idToken != nil)
    }
}
