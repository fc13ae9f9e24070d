// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import TestPrograms
internal import TestTraits
internal import TesseraTesting

extension PostgreSQLInstance {
    /// Runs `body`, and restarts the server repeatedly after `body` calls `begin`.
    ///
    /// The server stops alternately in an orderly way and as in a crash. In between, it runs for at most 2 seconds.
    func restarting<Result: Sendable>(
        _ body: @escaping @Sendable (_ begin: @escaping @Sendable () -> Void) async throws -> Result
    ) async throws -> (value: Result, restarts: Int) {
        let isOver = Mutex(false)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let seed = TestSeed.printed()
        let random = SeededRandomBytes(seed: seed)
        async let loop: Int = {
            var restarts = 0
            for await _ in begun {}
            while !isOver.withLock({ $0 }) {
                let seconds = Double(random.next(1)[0]) / 128
                try await self.restart(restarts % 2 == 0 ? "fast" : "immediate", seconds: seconds)
                restarts += 1
            }
            return restarts
        }()
        defer {
            isOver.withLock { $0 = true }
            begin.finish()
        }
        let value = try await body { begin.finish() }
        isOver.withLock { $0 = true }
        return (value, try await loop)
    }
}
