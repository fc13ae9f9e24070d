// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraPostgreSQL
internal import TesseraSQLite
internal import TesseraStores

/// Creates the store that a probe's arguments name.
enum ProbeStore {
    static func named(_ name: String, keyDirectory: String) throws -> any SessionStore {
        #if SQLite
        if name.hasPrefix("sqlite:") { return SQLiteStore(path: String(name.dropFirst(7)), keyDirectory: keyDirectory) }
        #endif
        #if PostgreSQL
        if name.hasPrefix("postgresql:") { return try PostgreSQLStore(Secret(name), keyDirectory: keyDirectory) }
        #endif
        return EncryptedFileStore(directory: String(name.dropFirst(5)), keyDirectory: keyDirectory)
    }
}
