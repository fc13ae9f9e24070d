// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What closures of a program were called with, in order.
final class Calls: Sendable {
    private let calls = AsyncStream.makeStream(of: String.self)

    func take(_ text: String) { self.calls.continuation.yield(text) }
    func take(_ error: (any Error)?) { self.take(error.map { "\($0)" } ?? "done") }
    func next() async -> String { await self.calls.stream.first { _ in true } ?? "nothing" }
}
