// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// An open descriptor, closed when the value's life ends.
package struct OpenFile: ~Copyable {
    let descriptor: Int32
    package let path: String

    /// Takes over a descriptor, which is closed with this value.
    package init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(self.descriptor) }

    package func status() throws(SystemError) -> FileStatus {
        var status = stat()
        if fstat(self.descriptor, &status) != 0 { throw SystemError(errno, "fstat", self.path) }
        return FileStatus(status)
    }

    /// What the system says about a file that has to be this user's, or root's where that is allowed.
    ///
    /// - Throws: `otherOwner` when it is another user's.
    package func checkedStatus(allowingRoot: Bool = false) throws(SystemError) -> FileStatus {
        let status = try self.status()
        try status.checkOwner(of: self.path, allowingRoot: allowingRoot)
        return status
    }

    /// Mode 0600, whatever the umask took away.
    package func setPrivateMode() throws(SystemError) {
        if fchmod(self.descriptor, 0o600) != 0 { throw SystemError(errno, "fchmod", self.path) }
    }

    /// Lets a file without secrets be opened on a device that has not been unlocked since it was started.
    ///
    /// Only an app's container protects its files by classes; elsewhere this does nothing.
    package func removeProtection() {
        #if canImport(Darwin)
        // Class D of Apple's Platform Security guide, PROTECTION_CLASS_D in xnu.
        _ = fcntl(self.descriptor, F_SETPROTECTIONCLASS, 4)
        #endif
    }

    /// All bytes.
    ///
    /// - Throws: `corrupt` when there are more than `limit`: no file of ours is that long.
    package func contents(limit: Int) throws(SystemError) -> [UInt8] {
        let size = try self.status().size
        guard size <= limit else {
            throw SystemError(.tooLong, path: self.path, detail: "a length of \(size) bytes cannot be")
        }
        return try self.bytes(at: 0, count: Int(size))
    }

    /// As many of `count` bytes as there are from `offset` on.
    package func bytes(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
        let descriptor = self.descriptor
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[done...])
                let position = off_t(offset + Int64(done))
                let step = FileSystem.retrying { pread(descriptor, rest.baseAddress, rest.count, position) }
                if step < 0 { failure = errno }
                if step <= 0 { return }
                done += step
            }
        }
        if failure != 0 { throw SystemError(failure, "read", self.path) }
        return bytes
    }

    package func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
        var count = 0
        while count < bytes.count {
            let position = offset + Int64(count)
            let step = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[count...])
                return FileSystem.retrying { pwrite(self.descriptor, rest.baseAddress, rest.count, off_t(position)) }
            }
            if step < 0 { throw SystemError(errno, "write", self.path) }
            count += step
        }
    }

    /// Writes to the end of a file that was opened for appending, wherever that is by now.
    package func append(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let step = rest.withUnsafeBytes { buffer in
                FileSystem.retrying { writeOnce(self.descriptor, buffer) }
            }
            if step < 0 { throw SystemError(errno, "write", self.path) }
            rest = rest.dropFirst(step)
        }
    }

    package func truncate(to size: Int64) throws(SystemError) {
        if FileSystem.retrying({ ftruncate(self.descriptor, off_t(size)) }) != 0 {
            throw SystemError(errno, "ftruncate", self.path)
        }
    }

    /// Returns when the disk has the contents.
    package func synchronize() throws(SystemError) {
        #if canImport(Darwin)
        // `fsync` leaves them in the drive's cache there.
        if fcntl(self.descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        if FileSystem.retrying({ fsync(self.descriptor) }) != 0 { throw SystemError(errno, "fsync", self.path) }
    }

    /// Locks the open file, waiting for others who have it; does nothing on file systems without locks.
    package func lock() { _ = FileSystem.retrying { flock(self.descriptor, LOCK_EX) } }

    /// Locks the open file against everybody else who opened it.
    ///
    /// False when somebody has it.
    package func tryLock() throws(SystemError) -> Bool {
        if FileSystem.retrying({ flock(self.descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw SystemError(errno, "flock", self.path)
    }

    /// Locks one byte, which need not be there, against everybody else who opened the file.
    ///
    /// The lock is the open file's, not the process's: another opening in this process is refused too, and closing
    /// another opening takes nothing away. False when somebody has it.
    package func tryLock(byte offset: Int64) throws(SystemError) -> Bool {
        var range = Self.range(offset, Int16(F_WRLCK))
        if FileSystem.retrying({ fcntl(self.descriptor, Self.setOpenFileLock, &range) }) == 0 { return true }
        if errno == EAGAIN || errno == EACCES { return false }
        throw SystemError(errno, "fcntl", self.path)
    }

    /// Unlocks the byte, as ``unlock()`` does the file.
    package func unlock(byte offset: Int64) {
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
    package func unlock() { _ = flock(self.descriptor, LOCK_UN) }
}

/// The system's call, whose name the type's own method hides.
private func writeOnce(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
