// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension AsyncStream {
    /// Returns the next element, or nil at the end.
    func next() async -> Element? {
        var iterator = self.makeAsyncIterator()
        return await iterator.next(isolation: #isolation)
    }
}
