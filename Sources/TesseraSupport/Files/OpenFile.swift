// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// An open file descriptor, which is closed when the value is destroyed.
package struct OpenFile: ~Copyable {
    let descriptor: Int32
    package let path: String

    /// Creates a file that takes ownership of a descriptor.
    package init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        // A child process that is being started has a copy of the descriptor until it executes its program. Closing the
        // file would not release its lock until then.
        self.unlock()
        close(self.descriptor)
    }

    package func status() throws(SystemError) -> FileStatus {
        var status = stat()
        if fstat(self.descriptor, &status) != 0 { throw SystemError(errno, "fstat", self.path) }
        return FileStatus(status)
    }

    /// Returns the status of the file after checking that it belongs to this user or, if allowed, to root.
    ///
    /// - Throws: `SystemError` with the reason `owner` if the file belongs to another user.
    package func checkedStatus(allowingRoot: Bool = false) throws(SystemError) -> FileStatus {
        let status = try self.status()
        try status.checkOwner(of: self.path, allowingRoot: allowingRoot)
        return status
    }

    /// Sets mode 0600, regardless of the umask.
    package func setPrivateMode() throws(SystemError) {
        if fchmod(self.descriptor, 0o600) != 0 { throw SystemError(errno, "fchmod", self.path) }
    }

    /// Removes data protection, so that a file without secrets can be opened before the device's first unlock.
    ///
    /// Only an app's container has data protection. On other systems, this method has no effect.
    package func removeProtection() {
        #if canImport(Darwin)
        // This is class D in Apple's Platform Security guide and PROTECTION_CLASS_D in xnu.
        _ = fcntl(self.descriptor, F_SETPROTECTIONCLASS, 4)
        #endif
    }

    /// Returns the file's contents.
    ///
    /// - Throws: `SystemError` with the reason `tooLong` if the file has more than `limit` bytes.
    package func contents(limit: Int) throws(SystemError) -> [UInt8] {
        let size = try self.status().size
        guard size <= limit else {
            throw SystemError(.tooLong, path: self.path, detail: "its length of \(size) bytes exceeds \(limit)")
        }
        return try self.bytes(at: 0, count: Int(size))
    }

    /// Returns up to `count` bytes from `offset`, or fewer at the end of the file.
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

    /// Writes to the current end of a file that is open for appending.
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

    /// Synchronizes the file's contents to disk.
    package func synchronize() throws(SystemError) {
        #if canImport(Darwin)
        // On Darwin, `fsync` leaves the contents in the drive's cache.
        if fcntl(self.descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        if FileSystem.retrying({ fsync(self.descriptor) }) != 0 { throw SystemError(errno, "fsync", self.path) }
    }

    /// Locks the file, waiting for other holders, or has no effect on file systems without locks.
    package func lock() { _ = FileSystem.retrying { flock(self.descriptor, LOCK_EX) } }

    /// Tries to lock the file against all other open files.
    ///
    /// - Returns: False if another holder has the lock.
    package func tryLock() throws(SystemError) -> Bool {
        if FileSystem.retrying({ flock(self.descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw SystemError(errno, "flock", self.path)
    }

    /// Tries to lock one byte, which does not need to exist, against all other open files.
    ///
    /// The lock belongs to the open file and not to the process. Other open files in this process cannot lock the byte,
    /// and closing them does not release the lock.
    ///
    /// - Returns: False if another holder has the lock.
    package func tryLock(byte offset: Int64) throws(SystemError) -> Bool {
        var range = Self.range(offset, Int16(F_WRLCK))
        if FileSystem.retrying({ fcntl(self.descriptor, Self.setOpenFileLock, &range) }) == 0 { return true }
        if errno == EAGAIN || errno == EACCES { return false }
        throw SystemError(errno, "fcntl", self.path)
    }

    /// Unlocks the byte.
    ///
    /// See ``unlock()``.
    package func unlock(byte offset: Int64) {
        var range = Self.range(offset, Int16(F_UNLCK))
        _ = fcntl(self.descriptor, Self.setOpenFileLock, &range)
    }

    /// The value of `F_OFD_SETLK`, which some C library modules do not export.
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

    /// Unlocks the file, even if a child process between `fork` and `exec` has inherited the descriptor.
    package func unlock() { _ = flock(self.descriptor, LOCK_UN) }
}

/// Calls the system's `write`, which is hidden by the method with the same name.
private func writeOnce(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
