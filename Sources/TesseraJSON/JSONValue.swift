// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A value inside a parsed JSON document: a view that is cheap to copy and keeps the document alive.
///
/// The reader is strict: RFC 8259 to the letter, valid UTF-8 without byte-order mark, no lone surrogates, no two
/// members of one name (after escapes are resolved), nothing after the value. Strings and numbers are converted when
/// they are asked for; no conversion traps. Names are compared code point by code point, without normalization.
///
/// - SeeAlso: [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259.html)
public struct JSONValue: Sendable {
    let tape: JSONTape
    let index: Int

    /// Parses a document and gives its outermost value.
    ///
    /// - Throws: ``JSONError`` with the first thing that is wrong and the byte where it shows.
    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        self.init(try JSONParser.parse(bytes, limits), 0)
    }

    /// Parses a document and gives its outermost value.
    ///
    /// - Throws: ``JSONError``; its offset counts UTF-8 bytes.
    public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }

    init(_ tape: JSONTape, _ index: Int) {
        self.tape = tape
        self.index = index
    }

    var entry: JSONTape.Entry { self.tape.entries[self.index] }

    /// The value's kind.
    public var kind: JSONKind { self.entry.kind }

    /// Whether the value is the literal `null`.
    public var isNull: Bool { self.kind == .null }

    /// The truth value; nil unless the value is `true` or `false`.
    public var bool: Bool? { self.kind == .bool ? self.entry.flag : nil }

    /// The text with escapes resolved; nil unless the value is a string.
    public var string: String? { self.kind == .string ? self.tape.string(self.index) : nil }

    /// The number exactly as it was written, for example `1e400`; nil unless the value is a number.
    public var numberText: String? { self.kind == .number ? self.text : nil }

    /// The value's JSON text, exactly as received.
    public var text: String { String(decoding: self.bytes, as: UTF8.self) }

    /// The value's JSON text as UTF-8, exactly as received.
    public var bytes: ArraySlice<UInt8> { self.tape.bytes[self.entry.range] }

    /// The byte of the document at which the value begins.
    public var offset: Int { Int(self.entry.start) }
}
