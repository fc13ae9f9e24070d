// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
@testable internal import TesseraStores
internal import TesseraSupport
internal import Testing

@Suite("What a system call's error means to a store")
struct StoreErrorCauseInternalTests {
    @Test("A protected file that cannot be opened is a locked device in an app's container, and nowhere else")
    func protectedFile() {
        #expect(StoreError.isProtected(SystemError(EPERM, "open", "file"), hasDataProtection: true))
        #expect(!StoreError.isProtected(SystemError(EPERM, "open", "file"), hasDataProtection: false))
        #expect(!StoreError.isProtected(SystemError(EPERM, "mkdir", "file"), hasDataProtection: true))
        #expect(!StoreError.isProtected(SystemError(EACCES, "open", "file"), hasDataProtection: true))
        #expect(!StoreError.isProtected(SystemError(ENOENT, "open", "file"), hasDataProtection: true))
    }
}
