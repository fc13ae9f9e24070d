// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraCommand

/// A directory of its own that is gone afterwards.
struct TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "tessera-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        self.path = directory.path(percentEncoded: false)
    }

    func remove() { try? FileManager.default.removeItem(atPath: self.path) }
}
