// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraOAuth
internal import TesseraPostgreSQL
internal import TesseraSQLite
internal import TesseraSecretService
internal import TesseraStores

/// Stores by name, with a key that all processes of a benchmark share.
public enum NamedStore {
    /// Opens the store with the given name, such as `sqlite:FILE`, or an in-memory store for an unknown name.
    public static func open(_ name: String) throws -> any SessionStore {
        let keys = StoreKeys(try StoreKey([UInt8](repeating: 7, count: StoreKey.length)))
        if name.hasPrefix("sqlite:") { return SQLiteStore(path: String(name.dropFirst(7)), keys: keys) }
        if name.hasPrefix("postgres") { return try PostgreSQLStore(Secret(name), keys: keys) }
        if name == "secret-service:" { return SecretServiceStore() }
        if name.hasPrefix("file:") { return EncryptedFileStore(directory: String(name.dropFirst(5)), keys: keys) }
        return InMemoryStore()
    }
}
