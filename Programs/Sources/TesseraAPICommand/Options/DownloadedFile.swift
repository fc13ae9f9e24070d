// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraCommand
internal import TesseraJSON

/// What came of a download.
struct DownloadedFile: Sendable {
    let path: String
    private let length: Int64?

    init(_ path: String) {
        self.path = path
        self.length = FileBytes.length(of: path)
    }

    var json: JSONNode { ["file": .string(self.path), "bytes": self.length.map { .integer($0) } ?? .null] }
}
