// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Foundation
internal import TesseraStores
internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth
@testable internal import TesseraPostgreSQL
internal import TesseraTesting
internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite(
    "PostgreSQL store during server outages",
    .disabled(if: PostgreSQLInstance.isMissing, "PostgreSQL is not installed"),
    .serialized,
    SharedPostgreSQL()
)
struct PostgreSQLOutageInternalTests {
    private let server: PostgreSQLInstance
    private let schema = PostgreSQLInstance.newSchema()

    init() throws { self.server = try #require(PostgreSQLInstance.shared) }

    @Test(
        "Reconnects after the server restarts during an update and saves the record",
        .covers(115),
        arguments: ["fast", "immediate"]
    )
    func restarted(mode: String) async throws {
        let store = try self.server.store(self.schema)
        try await PostgreSQLInstance.save(in: store)
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1), generation: 1)
        try await store.update(PostgreSQLInstance.ada) { entry in
            try await entry.mark(mark)
            try await self.server.restart(mode)
            #expect(try await entry.load()?.refreshMark == mark)
            try await entry.save(try .sample(for: PostgreSQLInstance.ada, generation: 2))
        }
        #expect(try await store.load(PostgreSQLInstance.ada) == .sample(for: PostgreSQLInstance.ada, generation: 2))
        try await self.server.restart(mode)
        #expect(try await store.load(PostgreSQLInstance.ada)?.generation == 2)
    }

    @Test("Loses no completed save while the server restarts repeatedly", .covers(115))
    func churning() async throws {
        let (server, schema) = (self.server, self.schema)
        // The first store creates the keys, as on a user's machine.
        let keys = FileManager.default.temporaryDirectory.path + "/tessera-keys-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: keys) }
        func open() throws -> PostgreSQLStore {
            try PostgreSQLStore(server.address, keyDirectory: keys, schema: schema)
        }
        try await open().probe()
        let restarts = Task {
            for mode in ["fast", "immediate", "immediate", "fast"] { try await server.restart(mode) }
        }
        let stores = [try open(), try open()]
        try await withThrowingTaskGroup { group in
            for store in stores {
                group.addTask {
                    for _ in 0..<100 {
                        try await store.update(PostgreSQLInstance.ada) { entry in
                            let generation = try await entry.load()?.generation ?? 0
                            try await entry.save(try .sample(for: PostgreSQLInstance.ada, generation: generation + 1))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await restarts.value
        #expect(try await open().load(PostgreSQLInstance.ada)?.generation == 200)
    }

    @Test("Retries while the lease is valid if the server is unreachable, and then fails", .covers(115))
    func persistence() async throws {
        let store = try self.server.store(self.schema)
        let unreachable = StoreError(.unreachable, location: "test")
        let failures = Mutex(5)
        let (long, none) = (
            LockTimeout(ContinuousClock(), for: .seconds(60)), LockTimeout(ContinuousClock(), for: .zero)
        )
        let work: @Sendable (inout PostgreSQLLink) throws -> Int = { _ in
            let isUnreachable = failures.withLock { remaining in
                remaining -= 1
                return remaining >= 0
            }
            if isUnreachable { throw unreachable }
            return 7
        }
        #expect(try await store.tables.persistently({ long }, work) == 7)
        let error = await PostgreSQLInstance.error {
            _ = try await store.tables.persistently({ none }, { _ -> Int in throw unreachable })
        }
        #expect(error == unreachable)
    }

    @Test("Reports an unresponsive server as unreachable within its timeout, and saves after it resumes")
    func silent() async throws {
        let store = try self.server.store(self.schema, leaseDuration: .seconds(1), statementTimeout: .seconds(1))
        try await PostgreSQLInstance.save(in: store)
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1), generation: 1)
        try await store.update(PostgreSQLInstance.ada) { entry in
            _ = try await entry.load()
            try await self.server.pause()
            #expect(await PostgreSQLInstance.code { try await store.load(PostgreSQLInstance.ada) } == .unreachable)
            let error = await PostgreSQLInstance.error { try await entry.mark(mark) }
            #expect(error?.code == .unreachable)
            #expect(error?.isRetryable == true)
            #expect(error?.endsSession == false)
            try await self.server.resume()
        }
        try await PostgreSQLInstance.save(generation: 3, in: store)
        #expect(try await store.load(PostgreSQLInstance.ada)?.generation == 3)
    }

    @Test("Saves new tokens after an outage longer than the lease", .covers(143))
    func longOutage() async throws {
        let store = try self.server.store(self.schema, leaseDuration: .seconds(1), statementTimeout: .seconds(1))
        try await PostgreSQLInstance.save(in: store)
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1), generation: 1)
        try await store.update(PostgreSQLInstance.ada) { entry in
            _ = try await entry.load()
            try await entry.mark(mark)
            try await self.server.pause()
            let saving = Task { try await entry.save(try .sample(for: PostgreSQLInstance.ada, generation: 2)) }
            // Each load takes at least one second, and the lease lasts one second.
            for _ in 0..<3 {
                #expect(await PostgreSQLInstance.code { try await store.load(PostgreSQLInstance.ada) } == .unreachable)
            }
            try await self.server.resume()
            try await saving.value
        }
        #expect(try await store.load(PostgreSQLInstance.ada) == .sample(for: PostgreSQLInstance.ada, generation: 2))
    }

    @Test(
        "After a restart, a process with new tokens to save takes precedence for an expired lease",
        .covers(143)
    )
    func precedence() async throws {
        let clock = TestClock()
        let store = try self.server.store(self.schema)
        let other = try self.server.store(self.schema, clock: clock)
        try await PostgreSQLInstance.save(in: store)
        let waiting = try await store.update(PostgreSQLInstance.ada) { entry in
            _ = try await entry.load()
            try await self.server.sql("UPDATE \(self.schema).lease SET until = clock_timestamp() - interval '1 hour'")
            try await self.server.restart()
            let waiting = Task {
                try await other.update(PostgreSQLInstance.ada) { try await $0.load()?.generation }
            }
            await clock.sleeperCount(reaches: 1)
            try await entry.save(try .sample(for: PostgreSQLInstance.ada, generation: 2))
            return waiting
        }
        let isOver = Mutex(false)
        let advancing = Task {
            while !isOver.withLock({ $0 }) {
                clock.advance(by: .milliseconds(64))
                await Task.yield()
            }
        }
        #expect(try await waiting.value == 2)
        isOver.withLock { $0 = true }
        await advancing.value
    }

    @Test("Reopens a connection that the server closed between two statements")
    func terminated() async throws {
        let store = try self.server.store(self.schema)
        try await PostgreSQLInstance.save(in: store)
        for generation in Int64(2)...6 {
            try await self.server.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%\(self.schema)%' AND pid <> pg_backend_pid()"
            )
            #expect(try await store.load(PostgreSQLInstance.ada)?.generation == generation - 1)
            try await PostgreSQLInstance.save(generation: generation, in: store)
        }
    }
}
#endif
