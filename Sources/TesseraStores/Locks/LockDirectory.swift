// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera
package import TesseraSupport

/// A directory that holds nothing but the locks of accounts: for stores that are no directory themselves.
package struct LockDirectory: Sendable {
    private let path: String
    /// What is missing where `path` is no path.
    private let missing: String

    package init(path: String) {
        self.path = path
        self.missing = "neither XDG_RUNTIME_DIR nor a home directory is known"
    }

    /// A directory in the container that an app shares with its extensions; nil where the app has no such container.
    ///
    /// - Parameters:
    ///   - container: The container's path.
    ///   - group: The app group.
    ///   - places: Places of the system's layout: only Caches is certain to be writable on tvOS.
    package init(inContainer container: String?, ofAppGroup group: String, places: UserPlaces = .current) {
        self.path = container.map { places.inContainer($0).lockDirectory } ?? ""
        self.missing =
            "the app has no container for the app group \(group); add the group to its App Groups entitlement"
    }

    package func lockPath(_ account: AccountKey) -> String { "\(self.path)/\(account.name).lock" }

    /// The account's lock, not taken yet; the directory is made for it.
    ///
    /// - Throws: `unavailable` where no directory is known; `networkFileSystem`, where locks cannot be trusted.
    package func lock(_ account: AccountKey) throws(StoreError) -> FileLock {
        guard self.path.hasPrefix("/") else {
            throw StoreError(
                .unavailable,
                place: "locks",
                detail: self.missing
            )
        }
        try StoreError.mapping(FileSystem.makeDirectory(self.path))
        if let name = try StoreError.mapping(NetworkFileSystem.name(at: self.path)) {
            throw StoreError(.networkFileSystem, place: self.path, detail: name)
        }
        return try StoreError.mapping(FileLock(path: self.lockPath(account)))
    }
}
