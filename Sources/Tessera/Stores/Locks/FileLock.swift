// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Synchronization

/// An account's lock across processes: `flock` on a file of its own that is never renamed and never removed.
///
/// The kernel frees it when its holder dies, however it dies. Two stores of one process exclude each other too: the
/// lock belongs to the opened file, not to the process.
package final class FileLock: Sendable {
    private let file: Mutex<OpenFile?>

    /// Opens the lock's file; does not lock it.
    package init(path: String) throws(StoreError) {
        let file = try FileSystem.file(at: path, writing: true, creating: true)
        self.file = Mutex(file)
    }

    /// False when somebody else has it.
    func tryLock() throws(StoreError) -> Bool {
        try self.file.withLock { file throws(StoreError) in try file?.tryLock() ?? false }
    }

    func release() {
        self.file.withLock { file in
            file?.unlock()
            file = nil
        }
    }
}
