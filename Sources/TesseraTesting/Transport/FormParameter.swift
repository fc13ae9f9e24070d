// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A name and a value of a form or a query, decoded.
public struct FormParameter: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The value; empty where there was no equals sign.
    public let value: String

    /// A parameter.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// The parameters of a text in the form encoding: `+` is a space, percent escapes are bytes of UTF-8.
    public static func parse(_ text: String) -> [FormParameter] {
        text.utf8.split(separator: UInt8(ascii: "&"))
            .map { pair in
                let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                return FormParameter(name: Self.decode(parts[0]), value: parts.count == 2 ? Self.decode(parts[1]) : "")
            }
    }

    private static func decode(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, !digits.contains(UInt8(ascii: "+")),
                !digits.contains(UInt8(ascii: "-")), let escaped = UInt8(String(Substring(digits)), radix: 16)
            {
                bytes.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
