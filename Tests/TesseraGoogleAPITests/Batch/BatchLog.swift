// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The received batches, each as the first lines of its parts.
final class BatchLog: Sendable {
    private let batches = Mutex<[[String]]>([])

    var all: [[String]] { self.batches.withLock { $0 } }

    /// Adds a batch and returns the number of batches.
    func add(_ parts: [String]) -> Int {
        self.batches.withLock { batches in
            batches.append(parts)
            return batches.count
        }
    }
}
