// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraJSON
internal import TesseraOAuth

extension JSONNode {
    /// Returns JSON text in which every character that is not printable is written as an escape such as `\u001b`.
    ///
    /// JSON strings can contain DEL, C1 control characters, line separators and bidirectional controls without escapes,
    /// and a terminal acts on some of them. Whitespace in received values is removed, so that the text is one line
    /// unless it is pretty-printed.
    package func printable(pretty: Bool) -> [UInt8] {
        let bytes = self.withoutWhitespace.serialized(pretty: pretty)
        guard !bytes.allSatisfy({ $0 < 0x7F }) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            // The only control characters in ASCII at this point are the line feeds between values, and DEL.
            if scalar.value < 0x7F || scalar.isPrintable {
                result += String(scalar).utf8
            } else {
                for unit in String(scalar).utf16 { result += Self.escape(unit) }
            }
        }
        return result
    }

    private static func escape(_ unit: UInt16) -> [UInt8] {
        let digits = String(unit, radix: 16)
        return Array("\\u".utf8) + repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count) + digits.utf8
    }

    /// The value without the whitespace in received objects and arrays.
    private var withoutWhitespace: JSONNode {
        switch self {
        case .parsed(let value): JSONNode(reencoding: value)
        case .array(let elements): .array(elements.map(\.withoutWhitespace))
        case .object(let members):
            .object(members.map { JSONMember(name: $0.name, value: $0.value.withoutWhitespace) })
        default: self
        }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal only displays the character, without any other effect.
    package var isPrintable: Bool { UntrustedText.printable(String(self)) == String(self) }
}

extension JSONNode {
    /// Creates a node that encodes a received value again, without the server's whitespace.
    package init(reencoding value: JSONValue) {
        if let members = value.members {
            self = .object(members.map { JSONMember(name: $0.name, value: JSONNode(reencoding: $0.value)) })
        } else if let elements = value.elements {
            self = .array(elements.map { JSONNode(reencoding: $0) })
        } else {
            self = .parsed(value)
        }
    }
}
