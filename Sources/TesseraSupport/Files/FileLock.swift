// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A lock between processes on a file or on one of its bytes.
///
/// The file is never renamed or removed. Locking the whole file uses `flock`. The kernel releases the lock when its
/// holder exits for any reason. The lock belongs to the open file and not to the process, so two stores in the same
/// process cannot hold it at once.
package final class FileLock: Sendable {
    private let file: Mutex<OpenFile?>
    /// The byte to lock, or nil for the whole file.
    private let offset: Int64?

    /// Opens the lock file without locking it.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - offset: The byte to lock, or nil for the whole file.
    /// - Throws: `SystemError` if the file cannot be opened.
    package init(path: String, byte offset: Int64? = nil) throws(SystemError) {
        let file = try FileSystem.file(at: path, writing: true, creating: true)
        if offset == nil { file?.removeProtection() }
        self.file = Mutex(file)
        self.offset = offset
    }

    /// Tries to acquire the lock, and returns false if another holder has it.
    package func tryLock() throws(SystemError) -> Bool {
        try self.file.withLock { [offset] file throws(SystemError) in
            if let offset { return try file?.tryLock(byte: offset) ?? false }
            return try file?.tryLock() ?? false
        }
    }

    package func release() {
        self.file.withLock { [offset] file in
            if let offset { file?.unlock(byte: offset) } else { file?.unlock() }
            file = nil
        }
    }
}
