// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif
internal import Tessera

/// An open descriptor, closed when the value's life ends.
struct OpenFile: ~Copyable {
    let descriptor: Int32
    let path: String

    deinit { close(self.descriptor) }

    func status() throws(StoreError) -> FileStatus {
        var status = stat()
        if fstat(self.descriptor, &status) != 0 { throw .system(errno, "fstat", self.path) }
        return FileStatus(status)
    }

    /// What the system says about a file that has to be this user's, or root's where that is allowed.
    ///
    /// - Throws: `otherOwner` when it is another user's.
    func checkedStatus(allowingRoot: Bool = false) throws(StoreError) -> FileStatus {
        let status = try self.status()
        try status.checkOwner(of: self.path, allowingRoot: allowingRoot)
        return status
    }

    /// Mode 0600, whatever the umask took away.
    func setPrivateMode() throws(StoreError) {
        if fchmod(self.descriptor, 0o600) != 0 { throw .system(errno, "fchmod", self.path) }
    }

    /// Lets a file without secrets be opened on a device that has not been unlocked since it was started.
    ///
    /// Only an app's container protects its files by classes; elsewhere this does nothing.
    func removeProtection() {
        #if canImport(Darwin)
        // Class D of Apple's Platform Security guide, PROTECTION_CLASS_D in xnu.
        _ = fcntl(self.descriptor, F_SETPROTECTIONCLASS, 4)
        #endif
    }

    /// All bytes.
    ///
    /// - Throws: `corrupt` when there are more than `limit`: no file of ours is that long.
    func contents(limit: Int) throws(StoreError) -> [UInt8] {
        let size = try self.status().size
        guard size <= limit else {
            throw StoreError(.corrupt, place: self.path, detail: "a length of \(size) bytes cannot be")
        }
        return try self.bytes(at: 0, count: Int(size))
    }

    /// As many of `count` bytes as there are from `offset` on.
    func bytes(at offset: Int64, count: Int) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let position = offset + Int64(done)
            let step = bytes.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                return FileSystem.retrying { pread(self.descriptor, rest.baseAddress, rest.count, off_t(position)) }
            }
            if step < 0 { throw .system(errno, "read", self.path) }
            if step == 0 { break }
            done += step
        }
        return Array(bytes[..<done])
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(StoreError) {
        var count = 0
        while count < bytes.count {
            let position = offset + Int64(count)
            let step = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[count...])
                return FileSystem.retrying { pwrite(self.descriptor, rest.baseAddress, rest.count, off_t(position)) }
            }
            if step < 0 { throw .system(errno, "write", self.path) }
            count += step
        }
    }

    /// Writes to the end of a file that was opened for appending, wherever that is by now.
    func append(_ bytes: [UInt8]) throws(StoreError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let step = rest.withUnsafeBytes { buffer in
                FileSystem.retrying { writeOnce(self.descriptor, buffer) }
            }
            if step < 0 { throw .system(errno, "write", self.path) }
            rest = rest.dropFirst(step)
        }
    }

    func truncate(to size: Int64) throws(StoreError) {
        if FileSystem.retrying({ ftruncate(self.descriptor, off_t(size)) }) != 0 {
            throw .system(errno, "ftruncate", self.path)
        }
    }

    /// Returns when the disk has the contents.
    func synchronize() throws(StoreError) {
        #if canImport(Darwin)
        // `fsync` leaves them in the drive's cache there.
        if fcntl(self.descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        if FileSystem.retrying({ fsync(self.descriptor) }) != 0 { throw .system(errno, "fsync", self.path) }
    }

    /// Locks the open file against everybody else who opened it.
    ///
    /// False when somebody has it.
    func tryLock() throws(StoreError) -> Bool {
        if FileSystem.retrying({ flock(self.descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw .system(errno, "flock", self.path)
    }

    /// Locks one byte, which need not be there, against everybody else who opened the file.
    ///
    /// The lock is the open file's, not the process's: another opening in this process is refused too, and closing
    /// another opening takes nothing away. False when somebody has it.
    func tryLock(byte offset: Int64) throws(StoreError) -> Bool {
        var range = Self.range(offset, Int16(F_WRLCK))
        if FileSystem.retrying({ fcntl(self.descriptor, Self.setOpenFileLock, &range) }) == 0 { return true }
        if errno == EAGAIN || errno == EACCES { return false }
        throw .system(errno, "fcntl", self.path)
    }

    /// Unlocks the byte, as ``unlock()`` does the file.
    func unlock(byte offset: Int64) {
        var range = Self.range(offset, Int16(F_UNLCK))
        _ = fcntl(self.descriptor, Self.setOpenFileLock, &range)
    }

    /// `F_OFD_SETLK`, which not every C library's module shows.
    private static var setOpenFileLock: Int32 {
        #if canImport(Darwin)
        90
        #else
        37
        #endif
    }

    private static func range(_ offset: Int64, _ type: Int16) -> flock {
        var range = flock()
        range.l_type = type
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(offset)
        range.l_len = 1
        return range
    }

    /// Unlocks it for good, even if a child that has not yet run its program inherited the descriptor.
    func unlock() { _ = flock(self.descriptor, LOCK_UN) }
}

/// The system's call, whose name the type's own method hides.
private func writeOnce(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
