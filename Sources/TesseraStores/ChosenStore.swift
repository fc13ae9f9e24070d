// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// The file that records which store the first sign-in chose.
///
/// Every method blocks the calling thread.
package struct ChosenStore: Sendable {
    package let path: String

    /// The current user's file, or nil if the home directory is unknown.
    package static var currentUser: ChosenStore? { UserFolders.current.chosenStore.map { ChosenStore(path: $0) } }

    package init(path: String) { self.path = path }

    /// Returns the name of the store, or nil if none has been chosen yet.
    ///
    /// - Throws: `StoreError` with the code `permissionDenied` if other users can write to the file, because they could
    ///   redirect tokens to another store, `otherOwner` if the file belongs to neither this user nor root, or
    ///   `unavailable` if it does not contain exactly one line.
    package func read() throws -> String? {
        guard let file = try StoreError.mapping(FileSystem.file(at: self.path)) else { return nil }
        let status = try StoreError.mapping(file.checkedStatus(allowingRoot: true))
        guard status.permissions & 0o022 == 0 else {
            throw StoreError(
                .permissionDenied,
                location: self.path,
                detail: "other users can write to it (mode \(status.modeText)). Check its contents, then run chmod go-w"
            )
        }
        let bytes = try StoreError.mapping(file.contents(limit: 8192))
        guard let text = String(wellFormedUTF8: bytes), text.hasSuffix("\n"),
            !text.dropLast().isEmpty, !text.dropLast().contains(where: \.isNewline)
        else {
            throw StoreError(
                .unavailable,
                location: self.path,
                detail: "it must contain the name of a store on one line. Remove it to choose a store again"
            )
        }
        return String(text.dropLast())
    }

    /// Saves the name unless another process has already saved one, and returns the name that is in effect.
    package func record(_ name: String) throws -> String {
        if let directory = FileSystem.parent(of: self.path) {
            try StoreError.mapping(FileSystem.makeDirectory(directory))
        }
        try StoreError.mapping(FileSystem.make(self.path, holding: Array((name + "\n").utf8)))
        return try self.read() ?? name
    }
}
