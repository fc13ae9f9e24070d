// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
@testable internal import TesseraStores
internal import Testing

@Suite("What a system call's error means to a store")
struct StoreErrorCauseInternalTests {
    @Test("A protected file that cannot be opened is a locked device in an app's container, and nowhere else")
    func protectedFile() {
        #expect(StoreError.isProtected(EPERM, "open", hasDataProtection: true))
        #expect(!StoreError.isProtected(EPERM, "open", hasDataProtection: false))
        #expect(!StoreError.isProtected(EPERM, "mkdir", hasDataProtection: true))
        #expect(!StoreError.isProtected(EACCES, "open", hasDataProtection: true))
        #expect(!StoreError.isProtected(ENOENT, "open", hasDataProtection: true))
    }
}
