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

    /// The members in the order of the text; nil unless the value is an object.
    public var members: JSONMembers? { self.kind == .object ? JSONMembers(of: self) : nil }

    /// The elements; nil unless the value is an array.
    public var elements: JSONElements? { self.kind == .array ? JSONElements(of: self) : nil }

    /// The member of that name; nil when there is none or the value is not an object.
    ///
    /// The time is linear in the number of members.
    public subscript(_ name: String) -> JSONValue? {
        self.place(of: name).map { JSONValue(self.tape, $0) }
    }

    /// The kind of the member of that name, without a value being made of it.
    package func kind(of name: String) -> JSONKind? { self.place(of: name).map { self.tape.entries[$0].kind } }

    /// The text of the member of that name, without a value being made of it; nil unless it is a string.
    package func string(of name: String) -> String? {
        guard let place = self.place(of: name), self.tape.entries[place].kind == .string else { return nil }
        return self.tape.string(place)
    }

    /// The first of the names whose member is neither a string nor null; one walk through the object for all of them.
    package func firstOtherThanString(of names: [String]) -> String? {
        guard self.kind == .object else { return nil }
        let end = Int(self.entry.next)
        var member = self.index + 1
        while member < end {
            let kind = self.tape.entries[member + 1].kind
            if kind != .string, kind != .null {
                let name = self.tape.string(member)
                if names.contains(name) { return name }
            }
            member = self.tape.following(member + 1)
        }
        return nil
    }

    private func place(of name: String) -> Int? {
        guard self.kind == .object else { return nil }
        let place = name.utf8.withContiguousStorageIfAvailable { self.tape.member($0.span, of: self.index) }
        return place ?? Array(name.utf8).withSpan { self.tape.member($0, of: self.index) }
    }

    /// The element at that place, from 0; nil when there is none or the value is not an array.
    ///
    /// The time is linear in the place: walk through ``elements`` to read them all.
    public subscript(_ place: Int) -> JSONValue? {
        guard place >= 0, place < self.elements?.count ?? 0 else { return nil }
        return self.elements?.dropFirst(place).first
    }

    /// The member of that name.
    ///
    /// - Throws: ``JSONError`` with `missingMember`, or `wrongKind` when the value is not an object.
    public func member(_ name: String) throws(JSONError) -> JSONValue {
        guard self.kind == .object else { throw JSONError(.wrongKind, offset: self.offset) }
        guard let value = self[name] else { throw JSONError(.missingMember, offset: self.offset) }
        return value
    }

    /// The number as an integer.
    ///
    /// `1.0` and `1e3` are integers, `1.5` is not.
    ///
    /// - Throws: ``JSONError`` with `wrongKind` when the value is no number or has a fractional part, and with
    ///   `numberOutOfRange` when it does not fit.
    public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Int.self) throws(JSONError) -> Integer {
        guard self.kind == .number else { throw JSONError(.wrongKind, offset: self.offset) }
        guard let small = self.smallInteger else { return try JSONNumberText.integer(self.bytes, as: type) }
        guard let integer = Integer(exactly: small) else { throw JSONError(.numberOutOfRange, offset: self.offset) }
        return integer
    }

    /// The nearest double, always finite; digits beyond its precision are rounded, tiny numbers to 0.
    ///
    /// - Throws: ``JSONError`` with `wrongKind` when the value is no number, and with `numberOutOfRange` when it is
    ///   too large, such as `1e400`.
    public func double() throws(JSONError) -> Double {
        guard self.kind == .number else { throw JSONError(.wrongKind, offset: self.offset) }
        if let small = self.smallInteger, small != 0 { return Double(small) }
        guard let double = Double(self.text), double.isFinite else {
            throw JSONError(.numberOutOfRange, offset: self.offset)
        }
        return double
    }

    /// The number where it is digits only and at most 15 of them: exact in every type, and read without a detour, as
    /// nearly all numbers are.
    private var smallInteger: Int64? {
        let entry = self.entry
        guard entry.flag, entry.range.count <= 15 else { return nil }
        var value: Int64 = 0
        for byte in self.bytes where byte != JSONCharacter.minus {
            value = value * 10 + Int64(byte - JSONCharacter.zero)
        }
        return self.bytes.first == JSONCharacter.minus ? -value : value
    }
}

extension JSONValue: Redacted {
    /// Only the shape, such as `object with 5 members`: the contents may be tokens.
    public var description: String {
        let count = self.entry.count
        switch self.kind {
        case .object: return "object with \(count) \(count == 1 ? "member" : "members")"
        case .array: return "array with \(count) \(count == 1 ? "element" : "elements")"
        default: return self.kind.description
        }
    }
}

extension JSONValue: Hashable {
    /// Whether two values mean the same, whatever their whitespace, escapes and order of members.
    ///
    /// Numbers are compared as they are written: `1` and `1.0` differ.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.kind == right.kind else { return false }
        switch left.kind {
        case .null: return true
        case .bool: return left.entry.flag == right.entry.flag
        case .number: return left.bytes == right.bytes
        case .string: return left.stringBytes == right.stringBytes
        case .array:
            guard let some = left.elements, let others = right.elements else { return false }
            return some.count == others.count && zip(some, others).allSatisfy { $0 == $1 }
        case .object:
            let (some, others) = (left.orderedMembers, right.orderedMembers)
            return some.count == others.count
                && zip(some, others).allSatisfy { $0.name == $1.name && $0.value == $1.value }
        }
    }

    /// Hashes the kind, and the text of a scalar or the size of an array or object.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.kind)
        switch self.kind {
        case .null: break
        case .bool: hasher.combine(self.entry.flag)
        case .number: hasher.combine(self.bytes)
        case .string: hasher.combine(self.stringBytes)
        case .array, .object: hasher.combine(self.entry.count)
        }
    }

    private var stringBytes: [UInt8] {
        let (entry, bytes) = (self.entry, self.tape.bytes)
        guard entry.flag else { return Array(bytes[entry.content]) }
        return bytes.withSpan { JSONStringText.unescaped($0, entry.content) }
    }

    private var orderedMembers: [(name: [UInt8], value: JSONValue)] {
        guard let members = self.members else { return [] }
        return members.indices
            .map { index in
                (JSONValue(self.tape, index.entry).stringBytes, JSONValue(self.tape, index.entry + 1))
            }
            .sorted { $0.name.lexicographicallyPrecedes($1.name) }
    }
}
