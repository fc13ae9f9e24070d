// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Foundation
internal import Tessera
internal import TesseraOAuth
internal import TesseraPostgreSQL
internal import Testing

/// A PostgreSQL server of the tests' own, started and stopped by `Scripts/postgresql`.
final class PostgreSQLServer: Sendable {
    private struct Facts: Decodable {
        var host: String
        var port: Int
        var user: String
        var password: String
        var url: String
    }

    let folder: String
    private let facts: Facts

    /// The one that a suite's tests share.
    @TaskLocal static var shared: PostgreSQLServer?

    private init() async throws {
        self.folder = FileManager.default.temporaryDirectory.path + "/tessera-postgresql-" + UUID().uuidString
        let output = try await Self.run("start", self.folder)
        self.facts = try JSONDecoder().decode(Facts.self, from: output)
    }

    /// Runs `body` beside a fresh server, which is stopped in any case.
    static func with<Result>(_ body: (PostgreSQLServer) async throws -> Result) async throws -> Result {
        let server = try await PostgreSQLServer()
        func stop() async {
            _ = try? await Self.run("stop", server.folder)
            try? FileManager.default.removeItem(atPath: server.folder)
        }
        do {
            let result = try await body(server)
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }

    var password: String { self.facts.password }
    var port: Int { self.facts.port }
    var address: Secret { Secret(self.facts.url) }
    /// What an error names.
    var place: String { "postgresql://127.0.0.1:\(self.port)/postgres" }

    /// Restarts the server; `immediate` as a crash does.
    func restart(_ mode: String = "fast") async throws { _ = try await Self.run("restart", self.folder, mode) }
    /// Stops all its processes where they stand.
    func pause() async throws { _ = try await Self.run("pause", self.folder) }
    func resume() async throws { _ = try await Self.run("resume", self.folder) }

    static let key = [UInt8](repeating: 7, count: StoreKey.length)

    func store(
        _ schema: String,
        key: [UInt8] = PostgreSQLServer.key,
        former: [[UInt8]] = [],
        leaseDuration: Duration = .seconds(30),
        statementTimeout: Duration = .seconds(10),
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws -> PostgreSQLStore {
        try PostgreSQLStore(
            self.address,
            keys: StoreKeys(try StoreKey(key), former: try former.map { try StoreKey($0) }),
            schema: schema,
            leaseDuration: leaseDuration,
            statementTimeout: statementTimeout,
            lockTimeout: lockTimeout,
            clock: clock
        )
    }

    /// A schema's name that nobody else has.
    static func newSchema() -> String { "t" + UUID().uuidString.lowercased().filter { $0 != "-" } }

    /// Why no server can be started here, nil where one can.
    static let isMissing: Bool = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let folders =
            versions.map { "/usr/lib/postgresql/\($0)/bin" }
            + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return !folders.contains { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    private static let script = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("../../Scripts/postgresql").standardized

    private static func run(_ words: String...) async throws -> Data {
        let output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data().write(to: output)
        defer { try? FileManager.default.removeItem(at: output) }
        let process = Process()
        process.executableURL = Self.script
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        let (ended, end) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            end.yield(process.terminationStatus)
            end.finish()
        }
        try process.run()
        for await status in ended where status != 0 { throw ScriptFailure(words: words, status: status) }
        return try Data(contentsOf: output)
    }

    private struct ScriptFailure: Error {
        var words: [String]
        var status: Int32
    }
}

/// One server for all tests of a suite.
struct SharedPostgreSQL: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await PostgreSQLServer.with { server in
            try await PostgreSQLServer.$shared.withValue(server) { try await function() }
        }
    }
}
#endif
