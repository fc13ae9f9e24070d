// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera
internal import TesseraSupport

/// Where the key lies: a file of its own, outside the store's directory, for this user alone.
package struct KeyFile: Sendable {
    let directory: String

    /// The key file of a directory.
    package init(directory: String) { self.directory = directory }

    package var path: String { self.directory + "/" + UserPlaces.keyFile }

    /// The key, nil where there is none yet.
    ///
    /// - Throws: `permissionDenied` when others may read or write the file: a key that others had is not one, and
    ///   closing the file now would hide that. `corrupt` when it has another length.
    package func read() throws(StoreError) -> StoreKey? {
        guard let file = try StoreError.mapping(FileSystem.file(at: self.path)) else { return nil }
        let status = try StoreError.mapping(file.checkedStatus())
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
        let bytes = try StoreError.mapping(file.contents(limit: 4096))
        do {
            return try StoreKey(bytes)
        } catch {
            throw StoreError(.corrupt, place: self.path, detail: error.reason)
        }
    }

    /// Makes the key, or takes the one that another process has made meanwhile.
    package func make() throws(StoreError) -> StoreKey {
        try StoreError.mapping(FileSystem.makeDirectory(self.directory))
        let bytes = StoreKey.random().withUnredacted { $0 }
        try StoreError.mapping(FileSystem.make(self.path, holding: bytes))
        guard let made = try self.read() else { throw StoreError(.keyMissing, place: self.path) }
        return made
    }
}
