// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A lock between processes, on a file that is never renamed and never removed: `flock` on the whole file, or one byte of
/// it.
///
/// The kernel frees it when its holder dies, however it dies. Two stores of one process exclude each other too: the
/// lock belongs to the opened file, not to the process.
package final class FileLock: Sendable {
    private let file: Mutex<OpenFile?>
    /// The byte that is locked, nil for the whole file.
    private let offset: Int64?

    /// Opens the lock's file; does not lock it.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - offset: The byte to lock, nil for the whole file.
    /// - Throws: `SystemError` if the file cannot be opened.
    package init(path: String, byte offset: Int64? = nil) throws(SystemError) {
        let file = try FileSystem.file(at: path, writing: true, creating: true)
        if offset == nil { file?.removeProtection() }
        self.file = Mutex(file)
        self.offset = offset
    }

    /// False when somebody else has it.
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
