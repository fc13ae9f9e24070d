// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A pool of elements, each of which does one piece of work at a time and queues the others.
package final class LeastBusy<Element: Sendable>: Sendable {
    private let elements: [Element]
    /// The amount of pending work per element.
    private let pending: Mutex<[Int]>

    /// Creates a pool of at least one element.
    package init(_ elements: [Element]) {
        self.elements = elements
        self.pending = Mutex(Array(repeating: 0, count: elements.count))
    }

    /// Does work with the element that has the least pending work.
    package func use<Result>(_ work: (Element) async throws -> Result) async throws -> Result {
        let index = self.pending.withLock { pending in
            let index = pending.indices.min { pending[$0] < pending[$1] } ?? 0
            pending[index] += 1
            return index
        }
        defer { self.pending.withLock { $0[index] -= 1 } }
        return try await work(self.elements[index])
    }
}
