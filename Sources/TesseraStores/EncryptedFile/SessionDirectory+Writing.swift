// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import Tessera
internal import TesseraSupport

/// What the holder of an account's lock may do.
extension SessionDirectory {
    /// What is reserved at least for a record; a real one has about 8 kB.
    static let reserve: Int64 = 32_768

    /// Ends what a process that died had begun: a record that lacked only its rename gets it.
    func settle(_ account: AccountKey) throws {
        let pending = self.pendingPath(account)
        guard let keys = try? self.existingKeys(),
            let sealed = try? self.sealedRecord(at: pending, of: account),
            (try? sealed.open(with: keys, of: self.keySource.place, place: pending)) != nil
        else { return }
        let committed = try? self.sealedRecord(at: self.recordPath(account), of: account)
        if let committed, committed.generation >= sealed.generation { return }
        try self.commit(account)
    }

    /// Replaces the record; the old one stays until the new one is whole and on the disk.
    ///
    /// Clears the mark.
    func write(_ record: SessionRecord, of account: AccountKey) throws {
        let keys = try self.keysForWriting()
        let place = self.recordPath(account)
        if let committed = try? self.sealedRecord(at: place, of: account), keys.key(committed.keyID) == nil {
            throw StoreError(
                .keyMissing,
                place: self.keySource.place,
                detail: "another key than this one sealed \(place)"
            )
        }
        let bytes = try SealedRecord.seal(record, with: keys.current, place: place)
        let pending = try self.openPending(account)
        if let mark = try self.mark(in: pending, of: account, with: keys) {
            try self.reserve(Int64(bytes.count), in: pending, mark: mark, of: account, with: keys.current)
            try StoreError.mapping(pending.write(bytes, at: 0))
            // The mark goes only when the record is on the disk.
            try StoreError.mapping(pending.synchronize())
            try StoreError.mapping(pending.truncate(to: Int64(bytes.count)))
            try StoreError.mapping(pending.synchronize())
        } else {
            do {
                try StoreError.mapping(pending.truncate(to: 0))
                try StoreError.mapping(pending.write(bytes, at: 0))
                try StoreError.mapping(pending.synchronize())
            } catch {
                try? FileSystem.remove(pending.path)
                throw error
            }
        }
        try self.commit(account)
    }

    /// Writes the mark down and reserves space for the next record.
    func write(_ mark: RefreshMark, of account: AccountKey) throws {
        let keys = try self.keysForWriting()
        let size = try StoreError.mapping(FileSystem.status(of: self.recordPath(account)))?.size ?? 0
        let pending = try self.openPending(account)
        let isNew = try self.mark(in: pending, of: account, with: keys) == nil
        do {
            if isNew { try StoreError.mapping(pending.truncate(to: 0)) }
            try self.reserve(max(Self.reserve, size * 2), in: pending, mark: mark, of: account, with: keys.current)
            try StoreError.mapping(pending.synchronize())
            try StoreError.mapping(FileSystem.synchronize(directory: self.path))
        } catch {
            if isNew { try? FileSystem.remove(pending.path) }
            throw error
        }
    }

    /// Takes the mark back, and the reserved space.
    func removeMark(of account: AccountKey) throws {
        try StoreError.mapping(FileSystem.remove(self.pendingPath(account)))
        try StoreError.mapping(FileSystem.synchronize(directory: self.path))
    }

    /// Removes the record, readable or not.
    func remove(_ account: AccountKey) throws {
        try StoreError.mapping(FileSystem.remove(self.pendingPath(account)))
        try StoreError.mapping(FileSystem.remove(self.recordPath(account)))
        try StoreError.mapping(FileSystem.synchronize(directory: self.path))
    }

    /// The mark of a refresh that was begun and not ended.
    func mark(of account: AccountKey, with keys: StoreKeys) throws -> RefreshMark? {
        guard let pending = try StoreError.mapping(FileSystem.file(at: self.pendingPath(account))) else { return nil }
        return try self.mark(in: pending, of: account, with: keys)
    }

    private func mark(
        in pending: borrowing OpenFile,
        of account: AccountKey,
        with keys: StoreKeys
    ) throws -> RefreshMark? {
        let end = try StoreError.mapping(pending.status()).size - Int64(SealedMark.length)
        guard end >= 0 else { return nil }
        let bytes = try StoreError.mapping(pending.bytes(at: end, count: SealedMark.length))
        for key in [keys.current] + keys.former {
            if let mark = SealedMark.open(bytes, for: account, with: key) { return mark }
        }
        return nil
    }

    /// Makes the file hold `size` bytes of space and the mark after them.
    ///
    /// The mark comes first, beyond a hole, and the hole is then filled: killed in between, the file still ends with a
    /// mark. Zeros that are written, rather than asked for with `posix_fallocate`, are blocks that no file system has
    /// to convert, split or find later; on one that writes nothing in place (Btrfs, ZFS) they only show that it is not
    /// full now.
    private func reserve(
        _ size: Int64,
        in pending: borrowing OpenFile,
        mark: RefreshMark,
        of account: AccountKey,
        with key: StoreKey
    ) throws {
        let length = Int64(SealedMark.length)
        let old = try StoreError.mapping(pending.status()).size
        let end = max(size, old - length)
        let sealed = try SealedMark.seal(mark, for: account, with: key)
        try StoreError.mapping(pending.write(sealed, at: end))
        if end > old { try StoreError.mapping(pending.write([UInt8](repeating: 0, count: Int(end - old)), at: old)) }
    }

    func openPending(_ account: AccountKey) throws -> OpenFile {
        let path = self.pendingPath(account)
        guard let file = try StoreError.mapping(FileSystem.file(at: path, writing: true, creating: true)) else {
            throw StoreError(.unavailable, place: path)
        }
        // While there is a mark in it, a refresh token may depend on the save: that must not fail here.
        if try StoreError.mapping(file.status()).size == 0 {
            try StoreError.mapping(FileSystem.excludeFromBackup(path))
        }
        return file
    }

    private func commit(_ account: AccountKey) throws {
        try StoreError.mapping(FileSystem.move(self.pendingPath(account), to: self.recordPath(account)))
        try StoreError.mapping(FileSystem.synchronize(directory: self.path))
    }
}

extension SessionDirectory {
    private static let probeSize = 8192

    /// Goes all the way of a save with a file of a session's size: key, write, sync, rename, read back, remove.
    ///
    /// The caller holds the lock of `AccountKey.probe`, so what is left of a probe that was killed is nobody's.
    func probe() throws {
        _ = try self.keysForWriting()
        let pending = self.pendingPath(.probe)
        let moved = self.path + "/probe.moved"
        let bytes = SymmetricKey(size: .init(bitCount: Self.probeSize * 8)).withUnsafeBytes { Array($0) }
        do {
            let file = try self.openPending(.probe)
            try StoreError.mapping(file.truncate(to: 0))
            try StoreError.mapping(file.write(bytes, at: 0))
            try StoreError.mapping(file.synchronize())
            try StoreError.mapping(FileSystem.move(pending, to: moved))
            try StoreError.mapping(FileSystem.synchronize(directory: self.path))
            guard try StoreError.mapping(FileSystem.contents(of: moved, limit: Self.probeSize)) == bytes else {
                throw StoreError(.notKept, place: self.path)
            }
            try StoreError.mapping(FileSystem.remove(moved))
            try StoreError.mapping(FileSystem.synchronize(directory: self.path))
        } catch {
            try? FileSystem.remove(pending)
            try? FileSystem.remove(moved)
            throw error
        }
    }
}
