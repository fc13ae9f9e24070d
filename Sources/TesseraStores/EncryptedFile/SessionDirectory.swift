// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// A file store's directory: every call blocks, and only a ``BlockingExecutor`` may make it.
///
/// An account has three files there, named by a hash:
/// - `.session`: the record. It is only ever replaced by a rename.
/// - `.pending`: the next record. While a refresh is under way it is zeros, which hold the space, with the mark at its
///   end; then the record is written over the zeros and the end is cut off. So a pending file is at each moment a mark,
///   or a whole record that lacks only its rename, and nothing in between loses both.
/// - `.lock`: who holds it may write the others. It is never renamed and never removed.
struct SessionDirectory: Sendable {
    /// No record is longer.
    static let limit = 1 << 24

    let path: String
    let keySource: StoreKeySource
    let allowsNetworkFileSystem: Bool
    /// The name of the network file system that holds a path, nil for a local one.
    let networkFileSystem: @Sendable (_ path: String) throws -> String?

    func recordPath(_ account: AccountKey) -> String { "\(self.path)/\(account.name).session" }
    func pendingPath(_ account: AccountKey) -> String { "\(self.path)/\(account.name).pending" }
    func lockPath(_ account: AccountKey) -> String { "\(self.path)/\(account.name).lock" }

    // MARK: Places

    /// - Throws: `unavailable` when a path cannot be one, or when the key would lie in the store: a copy of the store
    ///   would then hold its own key; `permissionDenied` where others may write.
    func checkPlaces() throws {
        for place in [self.path, self.keySource.directory ?? self.path]
        where !place.hasPrefix("/") || place.utf8.contains(0) {
            throw StoreError(
                .unavailable,
                place: place,
                detail: place.isEmpty ? "no home directory is known; name the directory" : "not an absolute path"
            )
        }
        try StoreError.mapping(FileSystem.checkDirectory(self.path))
        guard let keyDirectory = self.keySource.directory else { return }
        try StoreError.mapping(FileSystem.checkDirectory(keyDirectory))
        let store = FileSystem.resolved(self.path)
        let keys = FileSystem.resolved(keyDirectory)
        if keys == store || keys.hasPrefix(store == "/" ? "/" : store + "/") {
            throw StoreError(
                .unavailable,
                place: keyDirectory,
                detail: "the key may not lie in the store's own directory, \(self.path)"
            )
        }
    }

    /// Makes the directory ready for whoever is about to write.
    func prepare() throws {
        try self.checkPlaces()
        try StoreError.mapping(FileSystem.makeDirectory(self.path))
        if !self.allowsNetworkFileSystem, let name = try self.networkFileSystem(self.path) {
            throw StoreError(.networkFileSystem, place: self.path, detail: name)
        }
    }

    // MARK: The key

    /// The keys that the records were sealed with.
    func existingKeys() throws -> StoreKeys { try self.keySource.existing() }

    /// The keys; a new one only where there is no record that needs an old one.
    func keysForWriting() throws -> StoreKeys {
        try self.keySource.forWriting { try !self.recordNames().isEmpty }
    }

    // MARK: Reading

    /// The record as it was last committed, with the mark of a refresh that was begun since.
    func read(_ account: AccountKey) throws -> SessionRecord? {
        try self.checkPlaces()
        let place = self.recordPath(account)
        guard let sealed = try self.sealedRecord(at: place, of: account) else { return nil }
        let keys = try self.existingKeys()
        var record = try sealed.open(with: keys, of: self.keySource.place, place: place)
        record.refreshMark = try self.mark(of: account, with: keys)
        return record
    }

    /// Every account that has a record.
    ///
    /// Only headers are read, so that a damaged record can be listed and removed. A file whose header cannot be read is
    /// an error where there is no other: it must not lock the other accounts out.
    func accounts() throws -> [Account] {
        try self.checkPlaces()
        var accounts: [Account] = []
        var unreadable: StoreError?
        for name in try self.recordNames() {
            do {
                if let account = try self.account(ofFile: name) { accounts.append(account) }
            } catch let error as StoreError {
                unreadable = unreadable ?? error
            }
        }
        if accounts.isEmpty, let unreadable { throw unreadable }
        return accounts.sorted(by: AccountKey.precedes)
    }

    /// What is in the way of each record whose account cannot be told.
    func strays() throws -> [StoreError] {
        try self.checkPlaces()
        var strays: [StoreError] = []
        for name in try self.recordNames() {
            do { _ = try self.account(ofFile: name) } catch let error as StoreError { strays.append(error) }
        }
        return strays
    }

    private func account(ofFile name: String) throws -> Account? {
        let place = "\(self.path)/\(name)"
        guard let bytes = try self.recordBytes(at: place) else { return nil }
        let account = try SealedRecord(parsing: bytes, place: place).account
        guard AccountKey(account).name + ".session" == name else {
            throw SealedRecord.damaged(place, "it is another account's, renamed")
        }
        return account
    }

    func sealedRecord(at place: String, of account: AccountKey) throws -> SealedRecord? {
        guard let bytes = try self.recordBytes(at: place) else { return nil }
        let sealed = try SealedRecord(parsing: bytes, place: place)
        guard AccountKey(sealed.account) == account else {
            throw SealedRecord.damaged(place, "it is another account's, renamed")
        }
        return sealed
    }

    private func recordNames() throws -> [String] {
        try StoreError.mapping(FileSystem.names(in: self.path))?.filter { $0.hasSuffix(".session") } ?? []
    }

    private func recordBytes(at place: String) throws -> [UInt8]? {
        do {
            return try StoreError.mapping(FileSystem.contents(of: place, limit: Self.limit))
        } catch let error as StoreError where error.code == .unavailable && error.status != ENOTDIR {
            // A link, a directory, a pipe: something, so never «no record».
            throw StoreError(.corrupt, place: place, status: error.status, detail: error.detail)
        }
    }
}
