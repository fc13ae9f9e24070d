// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A counter for use from several tasks.
final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { self.count.withLock { $0 } }

    func add() { self.count.withLock { $0 += 1 } }
}
