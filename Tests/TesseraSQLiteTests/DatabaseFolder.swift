// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import Foundation
internal import GRDB
internal import Tessera
internal import TesseraSQLite
internal import TesseraStores
internal import TesseraTesting

/// A database in a temporary directory that is removed with this value.
final class DatabaseFolder: Sendable {
    static let ada = Account(issuer: "https://accounts.example", clientID: "client", subject: "ada")
    static let bob = Account(issuer: "https://accounts.example", clientID: "client", subject: "bob")
    static let key = [UInt8](repeating: 7, count: StoreKey.length)

    let path: String

    init() throws {
        self.path = FileManager.default.temporaryDirectory.path + "/tessera-sqlite-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: self.path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    var database: String { self.path + "/sessions.sqlite" }

    func open(
        key: [UInt8] = DatabaseFolder.key,
        former: [[UInt8]] = [],
        clock: any Clock<Duration> = ContinuousClock()
    ) throws -> SQLiteStore {
        SQLiteStore(
            path: self.database,
            keys: StoreKeys(try StoreKey(key), former: try former.map { try StoreKey($0) }),
            clock: clock
        )
    }

    func save(_ account: Account = DatabaseFolder.ada, generation: Int64 = 1, in store: SQLiteStore? = nil) async throws
    {
        try await (store ?? self.open())
            .update(account) { try await $0.save(try .sample(for: account, generation: generation, size: 64)) }
    }

    /// Changes the database as another program would.
    func modify<Value>(_ work: (Database) throws -> Value) throws -> Value {
        let queue = try DatabaseQueue(path: self.database)
        defer { try? queue.close() }
        return try queue.write(work)
    }

    static func code(_ work: () async throws -> some Any) async -> StoreError.Code? { await Self.error(work)?.code }

    static func error(_ work: () async throws -> some Any) async -> StoreError? {
        do {
            _ = try await work()
            return nil
        } catch {
            return error as? StoreError
        }
    }
}
#endif
