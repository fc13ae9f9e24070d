// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Testing

/// Tasks that run concurrently.
enum ConcurrentTasks {
    /// Returns the results of `count` concurrent tasks.
    ///
    /// Calls `whenAllRun` when all tasks have started.
    static func results<Value: Sendable>(
        _ count: Int,
        _ work: @escaping @Sendable () async throws -> Value,
        whenAllRun: @escaping @Sendable () async -> Void = {}
    ) async -> [Result<Value, any Error>] {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        return await withTaskGroup(of: Result<Value, any Error>.self) { group in
            for _ in 0..<count {
                group.addTask {
                    arrival.yield()
                    do { return .success(try await work()) } catch { return .failure(error) }
                }
            }
            var waiting = count
            for await _ in arrivals {
                waiting -= 1
                if waiting == 0 { break }
            }
            await whenAllRun()
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}

extension [Result<String, any Error>] {
    /// Returns the single value of all results, and records an issue if they differ.
    func common() throws -> String {
        let values = Set(try self.map { try $0.get() })
        #expect(values.count == 1)
        return try #require(values.first)
    }
}
