// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraCommand

/// A message of plain text; the sender and the date come from Gmail.
///
/// - SeeAlso: [RFC 5322](https://www.rfc-editor.org/rfc/rfc5322.html),
///   [RFC 2047](https://www.rfc-editor.org/rfc/rfc2047.html)
struct Letter {
    let bytes: [UInt8]

    /// - Throws: ``CommandError`` for what cannot stand in a head.
    init(to: [String], cc: [String], subject: String, text: [UInt8]) throws {
        var lines: [String] = []
        for (name, addresses) in [("To", to), ("Cc", cc)] where !addresses.isEmpty {
            for address in addresses {
                guard address.utf8.allSatisfy({ 0x20...0x7E ~= $0 }), address.contains("@") else {
                    throw CommandError.usage(
                        "\(address) is no address",
                        "Write it as name@host, or 'Name <name@host>' in plain letters."
                    )
                }
            }
            lines.append("\(name): " + addresses.joined(separator: ",\r\n "))
        }
        guard subject.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw CommandError.usage("--subject has one line", "Take the line breaks out.")
        }
        lines.append("Subject: " + Self.encoded(subject))
        lines += [
            "MIME-Version: 1.0", "Content-Type: text/plain; charset=UTF-8", "Content-Transfer-Encoding: base64", "",
        ]
        lines += Self.wrapped(Data(text).base64EncodedString())
        self.bytes = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    /// What is short and ASCII as it is, anything else as encoded words of at most 75 characters.
    private static func encoded(_ text: String) -> String {
        if text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }), text.utf8.count <= 900, !text.contains("=?") { return text }
        var words: [String] = []
        var chunk = ""
        for character in text {
            if (chunk + String(character)).utf8.count > 45, !chunk.isEmpty {
                words.append(chunk)
                chunk = ""
            }
            chunk.append(character)
        }
        if !chunk.isEmpty { words.append(chunk) }
        return words.map { "=?UTF-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }

    private static func wrapped(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: 76)
            .map { String(decoding: bytes[$0..<min($0 + 76, bytes.count)], as: UTF8.self) }
    }
}
