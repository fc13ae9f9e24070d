// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

/// Makes bytes that go to a terminal fit for it: a response's body, a message, a file.
///
/// Line feeds, with or without a carriage return before them, and tabs stay. Everything else that is not printable is
/// escaped as by `UntrustedText.printable(_:limit:)`, and what is not UTF-8 becomes U+FFFD.
struct TerminalFilter: Sendable {
    /// The start of a character, or a carriage return, whose rest has not come yet.
    private var pending: [UInt8] = []

    /// The next bytes as the terminal gets them.
    mutating func filtered(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = self.pending + bytes
        let count = Self.unfinished(bytes)
        self.pending = Array(bytes.suffix(count))
        bytes.removeLast(count)
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
            .map { line in
                line.split(separator: "\t", omittingEmptySubsequences: false)
                    .map { UntrustedText.printable(String($0), limit: .max) }.joined(separator: "\t")
            }
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// How many bytes at the end are the beginning of something longer.
    private static func unfinished(_ bytes: [UInt8]) -> Int {
        if bytes.last == 0x0D { return 1 }
        let continuations = bytes.reversed().prefix(3).prefix { 0x80...0xBF ~= $0 }.count
        guard continuations < bytes.count, case let lead = bytes[bytes.count - continuations - 1],
            0xC2...0xF4 ~= lead
        else { return 0 }
        let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
        return length > continuations + 1 ? continuations + 1 : 0
    }
}
