// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera
internal import TesseraSupport

/// An account's lock across processes, on a file that is never renamed and never removed: `flock` on a file of the
/// account's own, or one byte of a file that all accounts share.
///
/// The kernel frees it when its holder dies, however it dies. Two stores of one process exclude each other too: the
/// lock belongs to the opened file, not to the process.
package final class FileLock: Sendable {
    private let file: Mutex<OpenFile?>
    /// The byte that is locked, nil for the whole file.
    private let offset: Int64?

    /// Opens the lock's file; does not lock it.
    package init(path: String) throws(StoreError) {
        let file = try FileSystem.file(at: path, writing: true, creating: true)
        file?.removeProtection()
        self.file = Mutex(file)
        self.offset = nil
    }

    /// Opens a file that all accounts share, of which this account locks one byte; does not lock it.
    ///
    /// Two accounts whose names begin alike, one pair in 2⁶⁰, wait for each other.
    package init(path: String, account: AccountKey) throws(StoreError) {
        let file = try FileSystem.file(at: path, writing: true, creating: true)
        self.file = Mutex(file)
        self.offset = Int64(account.name.prefix(15), radix: 16) ?? 1 << 61
    }

    /// False when somebody else has it.
    package func tryLock() throws(StoreError) -> Bool {
        try self.file.withLock { [offset] file throws(StoreError) in
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
