// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension AsyncStream {
    /// The next element; nil at the end.
    func next() async -> Element? {
        var iterator = self.makeAsyncIterator()
        return await iterator.next(isolation: #isolation)
    }
}
