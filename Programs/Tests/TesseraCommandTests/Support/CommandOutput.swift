// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// What a run of the command left.
struct CommandOutput: Sendable {
    let status: Int32
    let bytes: [UInt8]
    let errors: String

    /// Standard output as text.
    var text: String { String(decoding: self.bytes, as: UTF8.self) }

    /// Standard output without its last line break.
    var line: String { self.text.hasSuffix("\n") ? String(self.text.dropLast()) : self.text }

    /// The lines of standard error.
    var errorLines: [Substring] { self.errors.split(separator: "\n") }

    /// The object of `--json`: exactly one, on a line of its own.
    func json() throws -> JSONValue {
        guard self.text.hasSuffix("\n"), self.line.contains("\n") == false else {
            throw SceneFailure("not one line: \(self.text)")
        }
        return try JSONValue(parsing: self.line)
    }
}
