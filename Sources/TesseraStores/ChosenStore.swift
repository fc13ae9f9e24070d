// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// The name of the store that the first sign-in chose, in a file of its own: every call blocks.
package struct ChosenStore: Sendable {
    package let path: String

    /// This user's, nil without a home directory.
    package static var ofUser: ChosenStore? { UserPlaces.current.chosenStore.map { ChosenStore(path: $0) } }

    package init(path: String) { self.path = path }

    /// The name, nil where nothing was chosen yet.
    ///
    /// - Throws: `permissionDenied` when others may write the file: they would choose where tokens go. `otherOwner` when it
    ///   belongs to neither this user nor root. `unavailable` when it holds anything but one line.
    package func read() throws -> String? {
        guard let file = try StoreError.mapping(FileSystem.file(at: self.path)) else { return nil }
        let status = try StoreError.mapping(file.checkedStatus(allowingRoot: true))
        guard status.permissions & 0o022 == 0 else {
            throw StoreError(
                .permissionDenied,
                place: self.path,
                detail: "others may write there (mode \(status.modeText)); look at what it says, then chmod go-w it"
            )
        }
        let bytes = try StoreError.mapping(file.contents(limit: 8192))
        guard let text = String(wellFormedUTF8: bytes), text.hasSuffix("\n"),
            !text.dropLast().isEmpty, !text.dropLast().contains(where: \.isNewline)
        else {
            throw StoreError(
                .unavailable,
                place: self.path,
                detail: "it should hold the name of a store on one line; remove it to have one chosen anew"
            )
        }
        return String(text.dropLast())
    }

    /// Writes a name down, unless one is there by now; the name that holds.
    package func record(_ name: String) throws -> String {
        if let directory = FileSystem.parent(of: self.path) {
            try StoreError.mapping(FileSystem.makeDirectory(directory))
        }
        try StoreError.mapping(FileSystem.make(self.path, holding: Array((name + "\n").utf8)))
        return try self.read() ?? name
    }
}
