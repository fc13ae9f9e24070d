// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A directory that holds nothing but the locks of accounts: for stores that are no directory themselves.
package struct LockDirectory: Sendable {
    private let path: String

    package init(path: String) { self.path = path }

    package func lockPath(_ account: AccountKey) -> String { "\(self.path)/\(account.name).lock" }

    /// The account's lock, not taken yet; the directory is made for it.
    ///
    /// - Throws: `unavailable` where no directory is known; `networkFileSystem`, where locks cannot be trusted.
    package func lock(_ account: AccountKey) throws(StoreError) -> FileLock {
        guard self.path.hasPrefix("/") else {
            throw StoreError(
                .unavailable,
                place: "locks",
                detail: "neither XDG_RUNTIME_DIR nor a home directory is known"
            )
        }
        try FileSystem.makeDirectory(self.path)
        if let name = try NetworkFileSystem.name(at: self.path) {
            throw StoreError(.networkFileSystem, place: self.path, detail: name)
        }
        return try FileLock(path: self.lockPath(account))
    }
}
