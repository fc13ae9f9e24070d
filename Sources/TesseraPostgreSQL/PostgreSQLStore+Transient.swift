// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Tessera
internal import TesseraStores

/// What is taken is deleted in the same statement: of all processes one gets it.
extension PostgreSQLStore: TransientStore {
    /// Keeps something until a time, for every process; what has come to its end is deleted.
    public func keep(_ content: [UInt8], as name: String, until end: Date, now: Date) async throws {
        let tables = self.tables
        let keys = try await tables.keysForWriting { tables.restartPatience() }
        let sealed = try SealedTransient.seal(content, as: name, until: end, with: keys, place: tables.place)
        _ = try await tables.pool.rows(
            tables.statements.keepTransient,
            [SQLValue(SealedTransient.digest(of: name)), SQLValue(sealed), SQLValue(end.timeIntervalSince1970)]
        )
        _ = try await tables.pool.rows(tables.statements.sweepTransients, [SQLValue(now.timeIntervalSince1970)])
    }

    /// What has that name and has not come to its end.
    public func content(of name: String, now: Date) async throws -> [UInt8]? {
        try await self.transient(self.tables.statements.loadTransient, name, now)
    }

    /// The same, and removes it.
    public func take(_ name: String, now: Date) async throws -> [UInt8]? {
        try await self.transient(self.tables.statements.takeTransient, name, now)
    }

    private func transient(_ statement: SQLStatement, _ name: String, _ now: Date) async throws -> [UInt8]? {
        let rows = try await self.tables.pool.rows(statement, [SQLValue(SealedTransient.digest(of: name))])
        guard let sealed = rows.first?.first?.bytes else { return nil }
        return try SealedTransient.open(
            sealed,
            as: name,
            now: now,
            with: try await self.tables.keysForReading(),
            place: self.tables.place
        )
    }
}
#endif
