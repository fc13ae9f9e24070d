// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import GRDB
public import Tessera
internal import TesseraStores
internal import TesseraSupport

/// What is taken is read and deleted in one transaction: of all processes of the machine one gets it.
extension SQLiteStore: TransientStore {
    /// Keeps something until a time, durably; what has come to its end is deleted.
    public func keep(_ content: [UInt8], as name: String, until end: Date, now: Date) async throws {
        guard let access = try await self.access(creating: true) else {
            throw StoreError(.unavailable, place: self.database.path)
        }
        try await self.writing.run { [database] in
            let keys = try database.keysForWriting(access)
            let sealed = try SealedTransient.seal(content, as: name, until: end, with: keys, place: database.path)
            try database.translating {
                try access.write { connection in
                    try connection.execute(
                        sql: "DELETE FROM transient WHERE end_at < ?",
                        arguments: [now.timeIntervalSince1970]
                    )
                    try connection.execute(
                        sql: "INSERT OR REPLACE INTO transient (name, content, end_at) VALUES (?, ?, ?)",
                        arguments: [
                            Data(SealedTransient.digest(of: name)), Data(sealed), end.timeIntervalSince1970,
                        ]
                    )
                }
            }
        }
    }

    /// What has that name and has not come to its end.
    public func content(of name: String, now: Date) async throws -> [UInt8]? {
        guard let access = try await self.access(creating: false) else { return nil }
        return try await self.reading.run { [database] in
            let sealed = try database.translating {
                try access.read { connection in
                    try Data.fetchOne(
                        connection,
                        sql: "SELECT content FROM transient WHERE name = ?",
                        arguments: [Data(SealedTransient.digest(of: name))]
                    )
                }
            }
            return try Self.open(sealed, name, now, database)
        }
    }

    /// The same, and removes it.
    public func take(_ name: String, now: Date) async throws -> [UInt8]? {
        guard let access = try await self.access(creating: false) else { return nil }
        return try await self.writing.run { [database] in
            let sealed = try database.translating {
                try access.write { connection in
                    try Data.fetchOne(
                        connection,
                        sql: "DELETE FROM transient WHERE name = ? RETURNING content",
                        arguments: [Data(SealedTransient.digest(of: name))]
                    )
                }
            }
            return try Self.open(sealed, name, now, database)
        }
    }

    private static func open(
        _ sealed: Data?,
        _ name: String,
        _ now: Date,
        _ database: SessionDatabase
    ) throws(StoreError) -> [UInt8]? {
        guard let sealed else { return nil }
        return try SealedTransient.open(
            Array(sealed),
            as: name,
            now: now,
            with: try database.keys.existing(),
            place: database.path
        )
    }
}
#endif
