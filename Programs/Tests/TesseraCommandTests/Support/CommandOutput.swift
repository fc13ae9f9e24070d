// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// The output and exit status of a command.
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

    /// Returns the object that `--json` printed, which must be the only line.
    func json() throws -> JSONValue {
        guard self.text.hasSuffix("\n"), self.line.contains("\n") == false else {
            throw SceneFailure("not one line: \(self.text)")
        }
        return try JSONValue(parsing: self.line)
    }
}
