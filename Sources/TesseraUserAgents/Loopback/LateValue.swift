// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A value that is known only after those who need it were made.
final class LateValue<Value: Sendable>: Sendable {
    private let storage = Mutex<Value?>(nil)

    var value: Value? { self.storage.withLock { $0 } }

    func set(_ value: Value) { self.storage.withLock { $0 = value } }
}
