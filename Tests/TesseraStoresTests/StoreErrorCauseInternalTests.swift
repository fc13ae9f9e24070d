// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
@testable internal import TesseraStores
internal import TesseraSupport
internal import Testing

@Suite("Store errors for system call failures")
struct StoreErrorCauseInternalTests {
    @Test("Reports a protected file as a locked device only with data protection")
    func protectedFile() {
        #expect(StoreError.isProtected(SystemError(EPERM, "open", "file"), hasDataProtection: true))
        #expect(!StoreError.isProtected(SystemError(EPERM, "open", "file"), hasDataProtection: false))
        #expect(!StoreError.isProtected(SystemError(EPERM, "mkdir", "file"), hasDataProtection: true))
        #expect(!StoreError.isProtected(SystemError(EACCES, "open", "file"), hasDataProtection: true))
        #expect(!StoreError.isProtected(SystemError(ENOENT, "open", "file"), hasDataProtection: true))
    }
}
