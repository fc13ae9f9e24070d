// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Foundation
internal import Tessera
@testable internal import TesseraPostgreSQL
internal import TesseraTesting
internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite(
    "Leases in PostgreSQL",
    .disabled(if: PostgreSQLInstance.isMissing, "PostgreSQL is not installed"),
    SharedPostgreSQL()
)
struct PostgreSQLLeaseInternalTests {
    private let server: PostgreSQLInstance
    private let schema = PostgreSQLInstance.newSchema()

    init() throws { self.server = try #require(PostgreSQLInstance.shared) }

    private func leases() async throws -> Int64? {
        try await self.server.sql("SELECT count(*) FROM \(self.schema).lease").first?.first?.integer
    }

    /// Inserts a lease as left behind by a process that died.
    private func leaveLease(seconds: Double) async throws {
        try await self.server.sql(
            """
            INSERT INTO \(self.schema).lease VALUES
                ($1::bytea, gen_random_uuid(), clock_timestamp() + $2::float8 * interval '1 second')
            """,
            [SQLValue(AccountKey(PostgreSQLInstance.ada).bytes), SQLValue(seconds)]
        )
    }

    @Test("An update holds a lease but no open transaction while its body runs, and releases the lease")
    func nothingHeld() async throws {
        let store = try self.server.store(self.schema)
        try await store.probe()
        try await store.update(PostgreSQLInstance.ada) { entry in
            try await entry.save(try .sample(for: PostgreSQLInstance.ada))
            #expect(try await self.leases() == 1)
            // Every statement of the store contains the name of the test's schema.
            let open = try await self.server.sql(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%\(self.schema)%' AND state <> 'idle' AND pid <> pg_backend_pid()"
            )
            #expect(open.first?.first?.integer == 0)
        }
        #expect(try await self.leases() == 0)
    }

    @Test("Waits until the lease of a dead process has expired", .covers(116))
    func dead() async throws {
        let store = try self.server.store(self.schema)
        try await PostgreSQLInstance.save(in: store)
        try await self.leaveLease(seconds: 0.6)
        #expect(try await store.load(PostgreSQLInstance.ada)?.generation == 1)
        let start = ContinuousClock.now
        try await PostgreSQLInstance.save(generation: 2, in: store)
        #expect(ContinuousClock.now - start > .milliseconds(300))
        #expect(try await store.load(PostgreSQLInstance.ada)?.generation == 2)
    }

    @Test("Throws busy if another process keeps the lease, and a canceled wait ends immediately")
    func busy() async throws {
        let clock = TestClock()
        let store = try self.server.store(self.schema, clock: clock)
        try await store.probe()
        try await self.leaveLease(seconds: 3600)
        let refused = Task { try await store.update(PostgreSQLInstance.ada) { _ in } }
        await clock.sleeperCount(reaches: 1)
        clock.advance(by: .seconds(60))
        await #expect(throws: StoreError(.busy, location: self.server.location)) { try await refused.value }
        let canceled = Task { try await store.update(PostgreSQLInstance.ada) { _ in } }
        await clock.sleeperCount(reaches: 1)
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }
        #expect(try await self.leases() == 1)
    }

    @Test(
        "Writes nothing and throws leaseLost if another process has taken the lease",
        arguments: [true, false]
    )
    func taken(isStillHeld: Bool) async throws {
        let store = try self.server.store(self.schema)
        try await PostgreSQLInstance.save(in: store)
        let change =
            isStillHeld
            ? "UPDATE \(self.schema).lease SET owner = gen_random_uuid()" : "DELETE FROM \(self.schema).lease"
        try await store.update(PostgreSQLInstance.ada) { entry in
            try await self.server.sql(change)
            let save = await PostgreSQLInstance.error {
                try await entry.save(try .sample(for: PostgreSQLInstance.ada, generation: 2))
            }
            #expect(save?.code == .leaseLost)
            #expect(save?.isRetryable == true)
            let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1), generation: 1)
            #expect(await PostgreSQLInstance.code { try await entry.mark(mark) } == .leaseLost)
            #expect(await PostgreSQLInstance.code { try await entry.remove() } == .leaseLost)
        }
        #expect(try await store.load(PostgreSQLInstance.ada) == .sample(for: PostgreSQLInstance.ada, size: 64))
        #expect(try await self.leases() == (isStillHeld ? 1 : 0))
    }

    @Test("An expired lease that no other process has taken still allows a save, which renews it")
    func expired() async throws {
        let store = try self.server.store(self.schema)
        try await store.probe()
        try await store.update(PostgreSQLInstance.ada) { entry in
            try await self.server.sql("UPDATE \(self.schema).lease SET until = clock_timestamp() - interval '1 minute'")
            try await entry.save(try .sample(for: PostgreSQLInstance.ada, generation: 2))
            let rows = try await self.server.sql("SELECT until > clock_timestamp() FROM \(self.schema).lease")
            #expect(rows.first?.first?.isTrue == true)
        }
        #expect(try await store.load(PostgreSQLInstance.ada)?.generation == 2)
    }

    @Test("Does not overwrite a record that changed without the lease after it was loaded")
    func changed() async throws {
        let store = try self.server.store(self.schema)
        try await PostgreSQLInstance.save(in: store)
        try await store.update(PostgreSQLInstance.ada) { entry in
            _ = try await entry.load()
            try await self.server.sql("UPDATE \(self.schema).session SET generation = 7")
            let save = await PostgreSQLInstance.code {
                try await entry.save(try .sample(for: PostgreSQLInstance.ada, generation: 2))
            }
            #expect(save == .leaseLost)
        }
    }

    @Test(
        "Reacquires a lost lease to save if the record has not changed since it was loaded",
        .covers(143)
    )
    func recovered() async throws {
        let store = try self.server.store(self.schema)
        try await PostgreSQLInstance.save(in: store)
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1), generation: 1)
        try await store.update(PostgreSQLInstance.ada) { entry in
            _ = try await entry.load()
            try await entry.mark(mark)
            try await self.server.sql("DELETE FROM \(self.schema).lease")
            try await entry.save(try .sample(for: PostgreSQLInstance.ada, generation: 2))
        }
        #expect(try await store.load(PostgreSQLInstance.ada) == .sample(for: PostgreSQLInstance.ada, generation: 2))
        #expect(try await self.leases() == 0)
    }

    @Test(
        "A late save does not restore a session that another process has ended or changed",
        .covers(143),
        arguments: [true, false]
    )
    func notRecovered(isRemoved: Bool) async throws {
        let store = try self.server.store(self.schema)
        let other = try self.server.store(self.schema)
        try await PostgreSQLInstance.save(in: store)
        try await store.update(PostgreSQLInstance.ada) { entry in
            _ = try await entry.load()
            try await self.server.sql("DELETE FROM \(self.schema).lease")
            if isRemoved {
                try await other.remove(PostgreSQLInstance.ada)
            } else {
                // Save other contents with the same generation, as if another process had ended the session.
                try await other.update(PostgreSQLInstance.ada) {
                    try await $0.save(try .sample(for: PostgreSQLInstance.ada, generation: 1, size: 10))
                }
            }
            let save = await PostgreSQLInstance.code {
                try await entry.save(try .sample(for: PostgreSQLInstance.ada, generation: 2))
            }
            #expect(save == .leaseLost)
        }
        let remaining = try await store.load(PostgreSQLInstance.ada)
        #expect(try remaining == (isRemoved ? nil : .sample(for: PostgreSQLInstance.ada, generation: 1, size: 10)))
    }

    @Test("A late save that retains the refresh token does not remove the mark of another process", .covers(143))
    func markOfOther() async throws {
        let store = try self.server.store(self.schema)
        let other = try self.server.store(self.schema)
        try await PostgreSQLInstance.save(in: store)
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1), generation: 1)
        try await store.update(PostgreSQLInstance.ada) { entry in
            var selected = try #require(try await entry.load())
            selected.history.selectedAt = Date(timeIntervalSince1970: 2)
            try await self.server.sql("DELETE FROM \(self.schema).lease")
            try await other.update(PostgreSQLInstance.ada) { try await $0.mark(mark) }
            let save = await PostgreSQLInstance.code { [selected] in try await entry.save(selected) }
            #expect(save == .leaseLost)
        }
        #expect(try await store.load(PostgreSQLInstance.ada)?.refreshMark == mark)
    }

    @Test("Renews a lease after a third of its duration while the update is running")
    func renewed() async throws {
        let clock = TestClock()
        let store = try self.server.store(self.schema, clock: clock)
        try await store.probe()
        try await store.update(PostgreSQLInstance.ada) { _ in
            await clock.sleeperCount(reaches: 1)
            try await self.server.sql("UPDATE \(self.schema).lease SET until = clock_timestamp()")
            clock.advance(by: .seconds(9))
            await clock.sleeperCount(reaches: 1)
            clock.advance(by: .seconds(1))
            await clock.sleeperCount(reaches: 1)
            let rows = try await self.server.sql(
                "SELECT until > clock_timestamp() + interval '20 seconds' FROM \(self.schema).lease"
            )
            #expect(rows.first?.first?.isTrue == true)
        }
        #expect(try await self.leases() == 0)
    }

    @Test("Loses no update of ten concurrent stores", .covers(116))
    func increments() async throws {
        let (server, schema) = (self.server, self.schema)
        try await withThrowingTaskGroup { group in
            for _ in 0..<10 {
                group.addTask {
                    let store = try server.store(schema)
                    for _ in 0..<20 {
                        try await store.update(PostgreSQLInstance.ada) { entry in
                            let generation = try await entry.load()?.generation ?? 0
                            try await entry.save(try .sample(for: PostgreSQLInstance.ada, generation: generation + 1))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await server.store(schema).load(PostgreSQLInstance.ada)?.generation == 200)
    }
}
#endif
