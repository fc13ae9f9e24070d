// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A recorder of the values that were passed to closures, in order.
final class Calls: Sendable {
    private let calls = AsyncStream.makeStream(of: String.self)

    func record(_ text: String) { self.calls.continuation.yield(text) }
    func record(_ error: (any Error)?) { self.record(error.map { "\($0)" } ?? "done") }
    func next() async -> String { await self.calls.stream.first { _ in true } ?? "nothing" }
}
