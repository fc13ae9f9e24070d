// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The parts of the batches that came, each by its first line.
final class BatchLog: Sendable {
    private let batches = Mutex<[[String]]>([])

    var all: [[String]] { self.batches.withLock { $0 } }

    /// Adds a batch and says how many there were.
    func add(_ parts: [String]) -> Int {
        self.batches.withLock { batches in
            batches.append(parts)
            return batches.count
        }
    }
}
