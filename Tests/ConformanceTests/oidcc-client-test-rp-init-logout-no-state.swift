// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Has no counterpart in the older OpenID test suite.
@Suite("oidcc-client-test-rp-init-logout-no-state")
struct RPInitiatedLogoutNoStateTests {
    @Test("Rejects a logout redirect without a state", .covers(122))
    func state() async throws {
        let provider = try ConformanceProvider { $0.logoutState = { _ in nil } }
        #expect(try await provider.logout()?.rule == .state)
    }
}
