// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraSupport

/// The query of a URL in the making: names and values, percent-encoded, in the order in which they were added.
///
/// It may be written right behind its path: each call has one, and most are of one piece then.
package struct URLQuery: Sendable, ExpressibleByDictionaryLiteral {
    /// The path, where there is one, and the query with its question mark; without one where nothing was added.
    private(set) var text = ""
    private var isEmpty = true

    /// A query that goes on from a path.
    init(after path: String) { self.text = path }

    /// Of names and values, as they are.
    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self.add(name, value) }
    }

    package mutating func add(_ name: String, _ value: String) {
        self.separate()
        self.text += PercentEncoding.encode(name, .unreserved)
        self.text += "="
        self.text += PercentEncoding.encode(value, .unreserved)
    }

    /// A parameter's value: once for each element of a list; nothing for null.
    mutating func add(_ name: String, _ value: JSONNode) {
        if let text = value.stringValue {
            self.add(name, text)
        } else if let elements = value.elements {
            for element in elements { self.add(name, element) }
        } else if !value.isNull {
            self.add(name, value.text())
        }
    }

    /// Parameters as they stand in a URL.
    mutating func add(encoded parameters: some StringProtocol) {
        self.separate()
        self.text += parameters
    }

    /// Adds another's parameters, which has no path.
    package static func += (query: inout Self, other: Self) {
        if !other.isEmpty { query.add(encoded: other.text.dropFirst()) }
    }

    private mutating func separate() {
        self.text += self.isEmpty ? "?" : "&"
        self.isEmpty = false
    }
}

/// Percent-encoding of the parts of a URL.
enum PercentEncoding {
    /// What stays as it is.
    enum Bare {
        /// Letters, digits, `-._~`.
        case unreserved
        /// Those, and what has a meaning within a path.
        case reserved
    }

    static func encode(_ text: String, _ bare: Bare) -> String {
        if text.utf8.allSatisfy(Self.isUnreserved) { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if Self.isUnreserved(byte) || (bare == .reserved && Self.reserved.contains(byte)) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 15)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let reserved = Set("/:[]@!$&'()*+,;=".utf8)

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}
