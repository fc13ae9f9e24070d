// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Foundation
internal import Tessera
internal import TesseraOAuth
@testable internal import TesseraPostgreSQL
internal import TesseraStores
internal import TesseraTesting
internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite(
    "PostgreSQL store addresses and connection errors",
    .disabled(if: PostgreSQLInstance.isMissing, "PostgreSQL is not installed"),
    SharedPostgreSQL()
)
struct PostgreSQLAddressInternalTests {
    private let server: PostgreSQLInstance
    private static let canary = "canary-5e7b"

    init() throws { self.server = try #require(PostgreSQLInstance.shared) }

    private func error(_ address: String) async -> StoreError? {
        await PostgreSQLInstance.error {
            let key = try StoreKey(PostgreSQLInstance.key)
            let store = try PostgreSQLStore(
                Secret(address),
                keys: StoreKeys(key),
                statementTimeout: .seconds(5),
                clock: ContinuousClock()
            )
            return try await store.load(PostgreSQLInstance.ada)
        }
    }

    @Test("Connection errors name the server and contain no secret", .covers(124))
    func refusals() async throws {
        let (port, canary) = (self.server.port, Self.canary)
        let cases: [(String, StoreError.Code)] = [
            ("postgresql://tessera:\(canary)@127.0.0.1:\(port)/postgres", .permissionDenied),
            ("postgresql://tessera@127.0.0.1:\(port)/postgres?password=\(canary)", .permissionDenied),
            ("postgresql://nobody:\(canary)@127.0.0.1:\(port)/postgres", .permissionDenied),
            ("postgresql://tessera:\(canary)@127.0.0.1:1/postgres", .unreachable),
            ("postgresql://tessera:\(canary)@no-such-host.invalid/postgres", .unreachable),
            ("postgresql://tessera:\(canary)@[::1/postgres", .unavailable),
            ("postgresql://tessera:\(canary)@127.0.0.1:\(port)/postgres?nonsense=\(canary)", .unavailable),
            ("postgresql://tessera:\(canary)@127.0.0.1:\(port)/postgres?sslmode=\(canary)", .unreachable),
            ("\(canary)", .unavailable), ("", .unreachable),
            ("postgresql://tessera:1/\(canary)@127.0.0.1:\(port)/postgres", .unavailable),
            ("postgresql://tessera:x@\(canary)@127.0.0.1:\(port)/postgres", .unavailable),
            ("postgresql://tessera:\(canary)/x?y@127.0.0.1:\(port)/postgres", .unavailable),
        ]
        for (address, code) in cases where !address.isEmpty {
            let error = try #require(await self.error(address), "\(address)")
            #expect(error.code == code, "\(address): \(error)")
            var dumped = ""
            dump(error, to: &dumped)
            if !address.contains("sslmode") { #expect(!dumped.contains(canary), "\(address)") }
        }
    }

    @Test("Distinguishes a missing database from a role without privileges")
    func rights() async throws {
        let right = self.server.address.withUnredacted { $0 }
        let other = String(right.dropLast("postgres".count)) + "no_such_database"
        #expect(await self.error(other)?.code == .unavailable)
        let (role, schema) = (PostgreSQLInstance.newSchema(), PostgreSQLInstance.newSchema())
        try await self.server.sql("CREATE ROLE \(role) LOGIN PASSWORD '\(Self.canary)'")
        try await PostgreSQLInstance.save(in: try self.server.store(schema))
        let address = "postgresql://\(role):\(Self.canary)@127.0.0.1:\(self.server.port)/postgres"
        func store() throws -> PostgreSQLStore {
            try PostgreSQLStore(Secret(address), keys: StoreKeys(try StoreKey(PostgreSQLInstance.key)), schema: schema)
        }
        #expect(await PostgreSQLInstance.code { try await store().load(PostgreSQLInstance.ada) } == .permissionDenied)
        try await self.server.sql("GRANT USAGE ON SCHEMA \(schema) TO \(role)")
        try await self.server.sql("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(role)")
        try await PostgreSQLInstance.save(generation: 2, in: try store())
        #expect(try await store().load(PostgreSQLInstance.ada)?.generation == 2)
    }

    @Test("Keeps the parameters of the address, sets defaults for the others and redacts the password")
    func parameters() throws {
        let address = try PostgreSQLAddress(
            parsing: Secret(
                "postgresql://ada:\(Self.canary)@db.example:6432/people?application_name=mine&keepalives_idle=99"
            )
        )
        #expect(address.location == "postgresql://db.example:6432/people")
        let values = Dictionary(
            uniqueKeysWithValues: address.parameters.map { ($0.name, $0.value.withUnredacted { $0 }) }
        )
        #expect(values["application_name"] == "mine")
        #expect(values["keepalives_idle"] == "99")
        #expect(values["fallback_application_name"] == "tessera")
        #expect(values["client_encoding"] == "UTF8")
        #expect(address.redacted("it was \(Self.canary)!") == "it was <redacted>!")
        var dumped = ""
        dump(address, to: &dumped)
        #expect(!dumped.contains(Self.canary))
    }

    @Test("Tries the next host if one does not respond")
    func silentHost() async throws {
        let directory = FileManager.default.temporaryDirectory.path + "/silent-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let silent = try ListeningSocket(at: directory + "/.s.PGSQL.5432")
        let right = self.server.address.withUnredacted { $0 }
        let own = "@127.0.0.1:\(self.server.port)/"
        let first = directory.replacing("/", with: "%2F")
        let address = right.replacing(own, with: "@\(first):5432,\(own.dropFirst())")
        #expect(address != right)
        #expect(await self.error(address) == nil)
        let reversed = right.replacing(own, with: "\(own.dropLast()),\(first):5432/")
        #expect(await self.error(reversed) == nil)
        withExtendedLifetime(silent) {}
    }

    #if os(Linux)
    // The executable of the tests resolves both.test to ::1 and 127.0.0.1.
    @Test("Tries the next address of a host if one does not respond")
    func silentAddress() async throws {
        let silent = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(silent) }
        var only: Int32 = 1
        setsockopt(silent, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        address.sin6_port = UInt16(self.server.port).bigEndian
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(silent, pointer, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0 && listen(silent, 8) == 0
            }
        }
        try #require(isBound)
        let right = self.server.address.withUnredacted { $0 }
        let named = right.replacing("@127.0.0.1:", with: "@both.test:") + "?sslmode=disable&channel_binding=disable"
        let error = await self.error(named)
        #expect(error == nil, "\(error.map(String.init(describing:)) ?? "")")
    }
    #endif

    @Test(
        "Gives each host and each of its addresses its own parameters",
        arguments: [
            ("postgresql://a/x", ["a"]), ("postgresql://a,b:2/x", ["a:", "b:2"]),
            ("host=a,b port=7 dbname=x", ["a:7", "b:7"]), ("host=a,b,c port=7,8 dbname=x", ["a,b,c:7,8"]),
            ("host=a,b hostaddr=1.1.1.1, dbname=x", ["a 1.1.1.1", "b "]),
            ("host=a,b target_session_attrs=read-write", ["a read-write", "b read-write"]),
            ("host=a,b target_session_attrs=prefer-standby", ["a standby", "b standby", "a any", "b any"]),
            ("host=a target_session_attrs=prefer-standby", ["a prefer-standby"]),
            ("host=a,two port=7", ["a:7", "two ::2:7", "two 2.2.2.2:7"]),
            ("host=two hostaddr=1.1.1.1", ["two 1.1.1.1"]),
            ("host=/two,@two", ["/two", "@two"]), ("dbname=x", [""]),
            (
                "host=two target_session_attrs=prefer-standby",
                ["two ::2 standby", "two 2.2.2.2 standby", "two ::2 any", "two 2.2.2.2 any"]
            ),
        ]
    )
    func hosts(_ text: String, _ expected: [String]) throws {
        let servers = try PostgreSQLAddress(parsing: Secret(text))
            .servers { host in host == "two" ? ["::2", "2.2.2.2"] : [] }
        let texts = servers.map { server in
            func value(_ name: String, _ prefix: String) -> String {
                server.first { $0.name == name }.map { prefix + $0.value.withUnredacted { $0 } } ?? ""
            }
            return value("host", "") + value("hostaddr", " ") + value("port", ":") + value("target_session_attrs", " ")
        }
        #expect(texts == expected)
    }

    @Test("Applies the store's settings to its connections and ends a slow statement")
    func settings() async throws {
        let store = try self.server.store(PostgreSQLInstance.newSchema(), statementTimeout: .seconds(1))
        let rows = try await store.tables.pool.rows(
            SQLStatement("SELECT current_setting('statement_timeout'), current_setting('application_name')"),
            []
        )
        #expect(rows.first?.map(\.text) == ["1s", "tessera"])
        let code = await PostgreSQLInstance.code {
            try await store.tables.pool.rows(SQLStatement("SELECT pg_sleep(30)"), [])
        }
        #expect(code == .busy)
    }

    @Test("Quotes schema names and rejects names that PostgreSQL would truncate")
    func schemas() async throws {
        let odd = "a\"b; DROP SCHEMA public; --" + PostgreSQLInstance.newSchema().prefix(8)
        try await PostgreSQLInstance.save(in: try self.server.store(odd))
        #expect(try await self.server.store(odd).list() == [PostgreSQLInstance.ada])
        for name in ["", String(repeating: "x", count: 64), "a\u{0}b"] {
            #expect(throws: StoreError.self) { try self.server.store(name) }
        }
    }

    @Test("Limits the number of connections and closes them with the store")
    func connections() async throws {
        let schema = PostgreSQLInstance.newSchema()
        func count() async throws -> Int64? {
            try await self.server
                .sql(
                    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%\(schema)%' AND pid <> pg_backend_pid()"
                )
                .first?
                .first?
                .integer
        }
        var store: PostgreSQLStore? = try self.server.store(schema)
        try await withThrowingTaskGroup { [store] group in
            for _ in 0..<40 { group.addTask { _ = try await store?.load(PostgreSQLInstance.ada) } }
            try await group.waitForAll()
        }
        let open = try #require(try await count())
        #expect((1...4).contains(open))
        store = nil
        while try await count() != 0 { await Task.yield() }
    }

    @Test(
        "Parses a store URI with an address and omits user and password from its description",
        arguments: ["postgresql", "postgres"]
    )
    func uri(scheme: String) throws {
        let kinds: [StoreFactory] = [.postgreSQL, .postgres]
        let uri = try StoreURI(parsing: "\(scheme)://ada:\(Self.canary)@db:5433/x", factories: kinds)
        #expect(uri.description == "postgresql://db:5433/x")
        #expect(uri.makeStore() is PostgreSQLStore)
        for text in ["\(scheme):ada:\(Self.canary)@db", "\(scheme)://ada:\(Self.canary)@[db/x"] {
            let error = #expect(throws: StoreError.self) { try StoreURI(parsing: text, factories: kinds) }
            #expect(error?.code == .unavailable)
            #expect(error?.description.contains(Self.canary) == false)
        }
    }
}
#endif
