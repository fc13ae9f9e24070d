// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import Tessera
internal import TesseraSupport

/// Operations that require the account's lock.
extension SessionDirectory {
    /// The minimum space in bytes to reserve for a record.
    ///
    /// A typical record has about 8 kB.
    static let reserve: Int64 = 32_768

    /// The size of a block in bytes.
    ///
    /// The mark is at the beginning of a block. It is therefore in a single sector, so that a power loss while it is
    /// written leaves the old mark or the new one.
    static let block: Int64 = 4096

    /// Completes a save that was not finished, if only the rename is missing.
    ///
    /// The process that began the save may have been killed, or its disk may have failed.
    func settle(_ account: AccountKey) throws {
        guard let sealed = self.pendingRecord(of: account) else { return }
        let committed = try? self.sealedRecord(at: self.recordPath(account), of: account)
        if let committed, committed.generation > sealed.generation { return }
        // The process may have been unable to synchronize the file, after which Linux forgets the unwritten pages.
        let pending = try self.openPending(account)
        let bytes = try StoreError.mapping(pending.bytes(at: 0, count: Int(pending.size())))
        try StoreError.mapping(pending.write(bytes, at: 0))
        try StoreError.mapping(pending.synchronize())
        try self.commit(account)
    }

    /// Returns the record in the pending file, or nil if it is not complete or a mark follows it.
    private func pendingRecord(of account: AccountKey) -> SealedRecord? {
        let pending = self.pendingPath(account)
        // Do not ask for a passphrase unless there is a record that needs it.
        guard let sealed = try? self.sealedRecord(at: pending, of: account),
            let keys = try? self.existingKeys(),
            (try? sealed.open(with: keys, of: self.keySource.location, location: pending)) != nil
        else { return nil }
        return sealed
    }

    /// Replaces the record and the mark.
    ///
    /// The old record remains until the new one has been completely written to disk.
    func write(_ record: SessionRecord, of account: AccountKey) throws {
        let keys = try self.keysForWriting()
        let location = self.recordPath(account)
        if let committed = try? self.sealedRecord(at: location, of: account), keys.key(committed.keyID) == nil {
            throw StoreError(
                .keyMissing,
                location: self.keySource.location,
                detail: "\(location) was encrypted with a different key"
            )
        }
        try self.settle(account)
        let bytes = try SealedRecord.seal(record, with: keys.current, location: location)
        let pending = try self.openPending(account)
        if let (mark, offset) = try self.mark(in: pending, of: account, with: keys) {
            if bytes.count > offset {
                try self.reserve(Int64(bytes.count), in: pending, mark: mark, of: account, with: keys.current)
                // Overwrite the old mark only after the new one is on disk.
                try StoreError.mapping(pending.synchronize())
            }
            try StoreError.mapping(pending.write(bytes, at: 0))
            // Remove the mark only after the record is on disk.
            try StoreError.mapping(pending.synchronize())
            try StoreError.mapping(pending.truncate(to: Int64(bytes.count)))
            try StoreError.mapping(pending.synchronize())
        } else {
            do {
                try StoreError.mapping(pending.truncate(to: 0))
                try StoreError.mapping(pending.write(bytes, at: 0))
                try StoreError.mapping(pending.synchronize())
            } catch {
                try? self.volume.remove(pending.path)
                throw error
            }
        }
        try self.commit(account)
        // The record contains the mark, so this only reserves space for the result of the refresh.
        if let mark = record.refreshMark { try? self.write(mark, of: account) }
    }

    /// Writes the mark and reserves space for the next record.
    func write(_ mark: RefreshMark, of account: AccountKey) throws {
        let keys = try self.keysForWriting()
        try self.settle(account)
        let size = try StoreError.mapping(self.volume.size(of: self.recordPath(account))) ?? 0
        let pending = try self.openPending(account)
        let isNew = try self.mark(in: pending, of: account, with: keys) == nil
        do {
            if isNew { try StoreError.mapping(pending.truncate(to: 0)) }
            try self.reserve(max(Self.reserve, size * 2), in: pending, mark: mark, of: account, with: keys.current)
            try StoreError.mapping(pending.synchronize())
            try StoreError.mapping(self.volume.synchronize(directory: self.path))
        } catch {
            if isNew { try? self.volume.remove(pending.path) }
            throw error
        }
    }

    /// Removes the mark and releases the reserved space.
    func removeMark(of account: AccountKey) throws {
        try self.settle(account)
        let location = self.recordPath(account)
        if let sealed = try? self.sealedRecord(at: location, of: account), sealed.holdsMark {
            var record = try sealed.open(with: self.existingKeys(), of: self.keySource.location, location: location)
            record.refreshMark = nil
            return try self.write(record, of: account)
        }
        try StoreError.mapping(self.volume.remove(self.pendingPath(account)))
        try StoreError.mapping(self.volume.synchronize(directory: self.path))
    }

    /// Removes the record, even if it cannot be read.
    ///
    /// If this fails, a record that remains still has its mark.
    func remove(_ account: AccountKey) throws {
        // Otherwise, the next process would complete the save of this record.
        if self.pendingRecord(of: account) != nil {
            try StoreError.mapping(self.volume.remove(self.pendingPath(account)))
        }
        try StoreError.mapping(self.volume.remove(self.recordPath(account)))
        try StoreError.mapping(self.volume.synchronize(directory: self.path))
        try self.removeMark(of: account)
    }

    /// Returns the mark of a refresh that has started since the record was saved, or nil if there is none.
    func mark(of account: AccountKey, with keys: StoreKeys) throws -> RefreshMark? {
        let path = self.pendingPath(account)
        guard let pending = try StoreError.mapping(self.volume.file(at: path, writing: false, creating: false)) else {
            return nil
        }
        return try self.mark(in: pending, of: account, with: keys)?.mark
    }

    /// Returns the mark in a pending file and its offset, or nil if there is none.
    ///
    /// The mark is at the end of the file. A power loss can leave a file that was being extended without the new mark.
    /// The old one is then at the beginning of an earlier block.
    private func mark(
        in pending: any VolumeFile,
        of account: AccountKey,
        with keys: StoreKeys
    ) throws -> (mark: RefreshMark, offset: Int64)? {
        let end = try StoreError.mapping(pending.size()) - Int64(SealedMark.length)
        guard end >= 0 else { return nil }
        let blocks = stride(from: end / Self.block * Self.block, through: 0, by: -Int(Self.block))
        for offset in [end] + blocks {
            let bytes = try StoreError.mapping(pending.bytes(at: offset, count: SealedMark.length))
            for key in [keys.current] + keys.former {
                if let mark = SealedMark.open(bytes, for: account, with: key) { return (mark, offset) }
            }
        }
        return nil
    }

    /// Extends the file to at least `size` bytes of reserved space followed by the mark.
    ///
    /// The mark is written first, past a hole that is then filled. If the process is killed in between, the file
    /// therefore still ends with a mark. Written zeros are used instead of `posix_fallocate`, because file systems do
    /// not need to convert, split or allocate these blocks later. On a copy-on-write file system (Btrfs, ZFS), they
    /// only show that the file system is not full now.
    private func reserve(
        _ size: Int64,
        in pending: any VolumeFile,
        mark: RefreshMark,
        of account: AccountKey,
        with key: StoreKey
    ) throws {
        let length = Int64(SealedMark.length)
        let old = try StoreError.mapping(pending.size())
        // A file of an earlier version may contain a mark that is not at the beginning of a block. It is not overwritten.
        let start = old - length
        let needed = max(size, start >= 0 && start % Self.block == 0 ? start : old)
        let end = (needed + Self.block - 1) / Self.block * Self.block
        let sealed = try SealedMark.seal(mark, for: account, with: key)
        try StoreError.mapping(pending.write(sealed, at: end))
        if end > old { try StoreError.mapping(pending.write([UInt8](repeating: 0, count: Int(end - old)), at: old)) }
    }

    func openPending(_ account: AccountKey) throws -> any VolumeFile {
        let path = self.pendingPath(account)
        if try StoreError.mapping(self.volume.size(of: path)) == nil {
            // The rename of an earlier save may not be durable, if its process could not synchronize the directory. A
            // power loss could then leave the new file in place of the saved one.
            try StoreError.mapping(self.volume.synchronize(directory: self.path))
        }
        guard let file = try StoreError.mapping(self.volume.file(at: path, writing: true, creating: true)) else {
            throw StoreError(.unavailable, location: path)
        }
        // A file with a mark is already excluded, and its save must not fail here, because a refresh token may depend
        // on it.
        if try StoreError.mapping(file.size()) == 0 {
            try StoreError.mapping(self.volume.excludeFromBackup(path))
        }
        return file
    }

    private func commit(_ account: AccountKey) throws {
        try StoreError.mapping(self.volume.move(self.pendingPath(account), to: self.recordPath(account)))
        try StoreError.mapping(self.volume.synchronize(directory: self.path))
    }
}

extension SessionDirectory {
    private static let probeSize = 8192

    /// Performs every step of a save with a file the size of a typical record: key, write, sync, rename, read and
    /// remove.
    ///
    /// The caller must hold the lock for `AccountKey.probe`, so that it is safe to overwrite the files of a killed
    /// probe.
    func probe() throws {
        _ = try self.keysForWriting()
        let pending = self.pendingPath(.probe)
        let moved = self.path + "/probe.moved"
        let pattern = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        let bytes = (0..<Self.probeSize / pattern.count).flatMap { _ in pattern }
        do {
            let file = try self.openPending(.probe)
            try StoreError.mapping(file.truncate(to: 0))
            try StoreError.mapping(file.write(bytes, at: 0))
            try StoreError.mapping(file.synchronize())
            try StoreError.mapping(self.volume.move(pending, to: moved))
            try StoreError.mapping(self.volume.synchronize(directory: self.path))
            guard try StoreError.mapping(self.volume.contents(of: moved, limit: Self.probeSize)) == bytes else {
                throw StoreError(.notPersisted, location: self.path)
            }
            try StoreError.mapping(self.volume.remove(moved))
            try StoreError.mapping(self.volume.synchronize(directory: self.path))
        } catch {
            try? self.volume.remove(pending)
            try? self.volume.remove(moved)
            throw error
        }
    }
}
