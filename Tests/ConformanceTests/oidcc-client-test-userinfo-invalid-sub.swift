// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Corresponds to `rp-userinfo-bad-sub-claim` in the older OpenID test suite.
@Suite("oidcc-client-test-userinfo-invalid-sub")
struct UserInfoInvalidSubjectTests {
    @Test("Rejects user information with another sub or without one", .covers(98), arguments: ["another", nil])
    func subject(_ subject: String?) async throws {
        let provider = try ConformanceProvider { $0.userInfo = { $0["sub"] = subject.map { .string($0) } } }
        let session = try await provider.signIn()
        let error = await #expect(throws: ProtocolViolationError.self) { try await session.userInfo() }
        #expect(error?.rule == .userInfoSubject)
        #expect(provider.server.requests(to: "/userinfo").count == 1)
    }
}
