// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import BenchmarkStores
internal import Foundation
internal import Tessera

/// Measures the memory and time that a server process needs for live sessions.
enum LiveSessions {
    /// Prints the memory in bytes of each of `count` sessions and the time to restore them.
    ///
    /// Each session is refreshed once before the memory is measured. Use a store that retains no records in memory.
    static func measure(_ name: String, count: Int) async throws {
        let store = try NamedStore.open(name)
        let signIn = try Self.signIn(store)
        // The first session creates the shared state.
        _ = try await signIn.restore(Accounts.account(0))?.refresh()
        let before = try Self.residentBytes()
        let start = ContinuousClock.now
        let sessions = try await Self.concurrently(count) { number in
            guard let session = try await signIn.restore(Accounts.account(number)) else {
                throw SessionEndedError(.signedOut)
            }
            return session
        }
        print("restore_ms", (ContinuousClock.now - start) / .milliseconds(1))
        for session in sessions { try await session.refresh() }
        let held = try Self.residentBytes() - before
        print("session_bytes", held / count)
        print("token_bytes", sessions.map { Accounts.tokenBytes($0.record) }.reduce(0, +) / count)
        withExtendedLifetime(sessions) {}
    }

    /// Prints the memory in bytes of each of `count` records, which share their provider like those of sessions.
    static func measureRecords(_ name: String, count: Int) async throws {
        let store = try NamedStore.open(name)
        let provider = try Accounts.record(0).provider
        _ = try await store.load(Accounts.account(0))
        let before = try Self.residentBytes()
        let records = try await Self.concurrently(count) { number in
            guard var record = try await store.load(Accounts.account(number)) else {
                throw SessionEndedError(.signedOut)
            }
            record.provider = provider
            return record
        }
        print("record_bytes", (try Self.residentBytes() - before) / count)
        withExtendedLifetime(records) {}
    }

    private static func signIn(_ store: any SessionStore) throws -> SignIn {
        let provider = try Accounts.record(0).provider
        return SignIn(provider, transport: InstantTokenEndpoint(), store: store, userAgent: NoUserAgent())
    }

    /// Creates values for the numbers below `count` in 16 tasks.
    private static func concurrently<Value: Sendable>(
        _ count: Int,
        _ make: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        let tasks = 16
        var values: [Value] = []
        values.reserveCapacity(count)
        try await withThrowingTaskGroup(of: [Value].self) { group in
            for first in 0..<tasks {
                group.addTask {
                    var values: [Value] = []
                    for number in stride(from: first, to: count, by: tasks) { values.append(try await make(number)) }
                    return values
                }
            }
            for try await part in group { values += part }
        }
        return values
    }

    private static func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * 4_096
    }
}
