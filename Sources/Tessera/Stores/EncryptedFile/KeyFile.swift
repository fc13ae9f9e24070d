// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Where the key lies: a file of its own, outside the store's directory, for this user alone.
package struct KeyFile: Sendable {
    let directory: String

    /// The key file of a directory.
    package init(directory: String) { self.directory = directory }

    package var path: String { self.directory + "/file-store.key" }

    /// The key, nil where there is none yet.
    ///
    /// - Throws: `permissionDenied` when others may read or write the file: a key that others had is not one, and
    ///   closing the file now would hide that. `corrupt` when it has another length.
    package func read() throws(StoreError) -> StoreKey? {
        guard let file = try FileSystem.file(at: self.path) else { return nil }
        let status = try file.status()
        guard status.permissions & 0o077 == 0 else {
            throw StoreError(
                .permissionDenied,
                place: self.path,
                detail: """
                    others may read or write the key (mode \(status.modeText)); if nobody has, chmod 600 it, else \
                    remove the key and the store and sign in again
                    """
            )
        }
        let bytes = try file.contents(limit: 4096)
        do {
            return try StoreKey(bytes)
        } catch {
            throw StoreError(.corrupt, place: self.path, detail: error.reason)
        }
    }

    /// Makes the key, or takes the one that another process has made meanwhile.
    ///
    /// The file gets its name when it is complete: nobody can read half a key, and of two processes one wins.
    package func make() throws(StoreError) -> StoreKey {
        try FileSystem.makeDirectory(self.directory)
        let key = StoreKey.random()
        let temporary = self.path + "." + Hexadecimal.text(key.id)
        guard let file = try FileSystem.file(at: temporary, writing: true, creating: true, exclusively: true) else {
            throw StoreError(.unavailable, place: temporary)
        }
        do {
            try key.withUnredacted { (bytes) throws(StoreError) in try file.write(bytes, at: 0) }
            try file.synchronize()
            _ = try FileSystem.addName(self.path, to: temporary)
        } catch {
            try? FileSystem.remove(temporary)
            throw error
        }
        try FileSystem.remove(temporary)
        try FileSystem.synchronize(directory: self.directory)
        guard let made = try self.read() else { throw StoreError(.keyMissing, place: self.path) }
        return made
    }
}
