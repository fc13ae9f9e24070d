// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraCommand

/// A file that is to be sent.
enum UploadFile {
    /// - Throws: ``CommandError`` for what is no regular file.
    static func check(_ path: String, option: String) throws {
        guard FileBytes.length(of: path) == nil else { return }
        throw CommandError.usage(
            "\(option): \(path) is no file that can be read",
            "Name a regular file."
        )
    }

    /// The last part of a path.
    static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "file") }
}
