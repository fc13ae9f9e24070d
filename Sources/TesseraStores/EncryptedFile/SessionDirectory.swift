// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// The directory of a file store.
///
/// Every method blocks and must only be called on a ``BlockingExecutor``.
///
/// Each account has three files, named by a hash:
/// - `.session`: The record, with its mark if it was saved with one. It is only replaced by a rename.
/// - `.pending`: The next record. During a refresh, it contains zeros that reserve space, followed by the refresh mark.
///   The record is then written over the zeros, and the end is truncated. At any time, the file contains a mark, or a
///   complete record that only needs to be renamed, so both cannot be lost.
/// - `.lock`: The lock that a process holds while it writes the other files. It is never renamed or removed.
struct SessionDirectory: Sendable {
    /// The maximum length of a record in bytes.
    static let limit = 1 << 24

    let path: String
    let volume: any Volume
    let keySource: StoreKeySource
    let allowsNetworkFileSystem: Bool
    /// Returns the name of the network file system that contains a path, or nil for a local file system.
    let networkFileSystem: @Sendable (_ path: String) throws -> String?

    func recordPath(_ account: AccountKey) -> String { "\(self.path)/\(account.name).session" }
    func pendingPath(_ account: AccountKey) -> String { "\(self.path)/\(account.name).pending" }
    func lockPath(_ account: AccountKey) -> String { "\(self.path)/\(account.name).lock" }

    // MARK: Locations

    /// - Throws: `StoreError` with the code `unavailable` if a path is not absolute or the key is inside the store,
    ///   because copies of the store would then include their key, or `permissionDenied` if other users can write to a
    ///   directory.
    func checkLocations() throws {
        for location in [self.path, self.keySource.directory ?? self.path]
        where !location.hasPrefix("/") || location.utf8.contains(0) {
            throw StoreError(
                .unavailable,
                location: location,
                detail: location.isEmpty ? "HOME is not set. Specify the directory" : "the path is not absolute"
            )
        }
        _ = try StoreError.mapping(self.volume.checkDirectory(self.path))
        guard let keyDirectory = self.keySource.directory else { return }
        _ = try StoreError.mapping(self.volume.checkDirectory(keyDirectory))
        let store = self.volume.resolved(self.path)
        let keys = self.volume.resolved(keyDirectory)
        if keys == store || keys.hasPrefix(store == "/" ? "/" : store + "/") {
            throw StoreError(
                .unavailable,
                location: keyDirectory,
                detail: "the key must not be inside the store's directory, \(self.path)"
            )
        }
    }

    /// Creates and checks the directory before a write.
    func prepare() throws {
        try self.checkLocations()
        try StoreError.mapping(self.volume.makeDirectory(self.path))
        if !self.allowsNetworkFileSystem, let name = try self.networkFileSystem(self.path) {
            throw StoreError(.networkFileSystem, location: self.path, detail: name)
        }
    }

    // MARK: The key

    /// Returns the keys for reading records.
    func existingKeys() throws -> StoreKeys { try self.keySource.existing() }

    /// Returns the keys for writing records, creating one only if no existing record needs a missing key.
    func keysForWriting() throws -> StoreKeys {
        try self.keySource.forWriting { try !self.recordNames().isEmpty }
    }

    // MARK: Reading

    /// Returns the last committed record, with the mark of a refresh that has started since.
    func read(_ account: AccountKey) throws -> SessionRecord? {
        try self.checkLocations()
        let location = self.recordPath(account)
        guard let sealed = try self.sealedRecord(at: location, of: account) else { return nil }
        let keys = try self.existingKeys()
        var record = try sealed.open(with: keys, of: self.keySource.location, location: location)
        record.refreshMark = try self.mark(of: account, with: keys) ?? record.refreshMark
        return record
    }

    /// Returns every account that has a record.
    ///
    /// Only headers are read, so that a damaged record can be listed and removed. Files with an unreadable header are
    /// skipped, so that they do not hide the other accounts. If no account remains, an error is thrown.
    func accounts() throws -> [Account] {
        try self.checkLocations()
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

    /// Returns the error for each record whose account cannot be read.
    func strays() throws -> [StoreError] {
        try self.checkLocations()
        var strays: [StoreError] = []
        for name in try self.recordNames() {
            do { _ = try self.account(ofFile: name) } catch let error as StoreError { strays.append(error) }
        }
        return strays
    }

    private func account(ofFile name: String) throws -> Account? {
        let location = "\(self.path)/\(name)"
        guard let bytes = try self.recordBytes(at: location) else { return nil }
        let account = try SealedRecord(parsing: bytes, location: location).account
        guard AccountKey(account).name + ".session" == name else {
            throw SealedRecord.damaged(location, "it was renamed and belongs to another account")
        }
        return account
    }

    func sealedRecord(at location: String, of account: AccountKey) throws -> SealedRecord? {
        guard let bytes = try self.recordBytes(at: location) else { return nil }
        let sealed = try SealedRecord(parsing: bytes, location: location)
        guard AccountKey(sealed.account) == account else {
            throw SealedRecord.damaged(location, "it was renamed and belongs to another account")
        }
        return sealed
    }

    private func recordNames() throws -> [String] {
        try StoreError.mapping(self.volume.names(in: self.path))?.filter { $0.hasSuffix(".session") } ?? []
    }

    private func recordBytes(at location: String) throws -> [UInt8]? {
        do {
            return try StoreError.mapping(self.volume.contents(of: location, limit: Self.limit))
        } catch let error as StoreError where error.code == .unavailable && error.status != ENOTDIR {
            // A link, a directory or a pipe exists at the path, so it must not be reported as a missing record.
            throw StoreError(.corrupt, location: location, status: error.status, detail: error.detail)
        }
    }
}
