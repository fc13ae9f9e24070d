// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Testing

@Suite("Executor for blocking work", .timeLimit(.minutes(1)))
struct BlockingExecutorTests {
    @Test("Runs urgent work before work that is waiting, and otherwise keeps the order")
    func order() async throws {
        let (turns, added) = AsyncStream<@Sendable () -> Void>.makeStream()
        var waiting = turns.makeAsyncIterator()
        let executor = BlockingExecutor { added.yield($0) }
        let (log, done) = AsyncStream<String>.makeStream()
        var tasks: [Task<Void, any Error>] = []
        var queue: [@Sendable () -> Void] = []
        for name in ["read 1", "read 2", "renewal 1", "read 3", "renewal 2"] {
            tasks.append(Task { try await executor.run(isUrgent: name.hasPrefix("renewal")) { _ = done.yield(name) } })
            queue.append(try #require(await waiting.next()))
        }
        for turn in queue { turn() }
        for task in tasks { try await task.value }
        done.finish()
        let names = await log.reduce(into: []) { $0.append($1) }
        #expect(names == ["renewal 1", "renewal 2", "read 1", "read 2", "read 3"])
    }
}
