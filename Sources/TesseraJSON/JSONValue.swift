// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A value in a parsed JSON document.
///
/// A value is a view that is cheap to copy and retains the document. Parsing strictly follows RFC 8259. The text must
/// be valid UTF-8 without a byte order mark or unpaired surrogates, the names in an object must be distinct after
/// escapes are resolved, and no text may follow the value. Strings and numbers are converted when they are read, and
/// conversions never trap. Names are compared code point by code point, without normalization.
///
/// - SeeAlso: [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259.html)
public struct JSONValue: Sendable {
    let tape: JSONTape
    let index: Int

    /// Parses a document and returns its outermost value.
    ///
    /// - Throws: ``JSONError`` with the code and position of the first error.
    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        self.init(try JSONParser.parse(bytes, limits), 0)
    }

    /// Parses a document and returns its outermost value.
    ///
    /// - Throws: ``JSONError`` with the code of the first error and its position in UTF-8 bytes.
    public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }

    init(_ tape: JSONTape, _ index: Int) {
        self.tape = tape
        self.index = index
    }

    var entry: JSONTape.Entry { self.tape.entries[self.index] }

    /// The kind of the value.
    public var kind: JSONKind { self.entry.kind }

    /// Whether the value is the literal `null`.
    public var isNull: Bool { self.kind == .null }

    /// The Boolean value, or nil if the value is not `true` or `false`.
    public var bool: Bool? { self.kind == .bool ? self.entry.flag : nil }

    /// The string with its escapes resolved, or nil if the value is not a string.
    public var string: String? { self.kind == .string ? self.tape.string(self.index) : nil }

    /// The number exactly as written in the document, for example `1e400`, or nil if the value is not a number.
    public var numberText: String? { self.kind == .number ? self.text : nil }

    /// The JSON text of the value, exactly as received.
    public var text: String { String(decoding: self.bytes, as: UTF8.self) }

    /// The JSON text of the value in UTF-8, exactly as received.
    public var bytes: ArraySlice<UInt8> { self.tape.bytes[self.entry.range] }

    /// The byte offset of the value in the document.
    public var offset: Int { Int(self.entry.start) }

    /// The members in document order, or nil if the value is not an object.
    public var members: JSONMembers? { self.kind == .object ? JSONMembers(of: self) : nil }

    /// The elements, or nil if the value is not an array.
    public var elements: JSONElements? { self.kind == .array ? JSONElements(of: self) : nil }

    /// The value of a member, or nil if the member is missing or this value is not an object.
    ///
    /// - Complexity: O(n), where n is the number of members.
    public subscript(_ name: String) -> JSONValue? {
        self.location(of: name).map { JSONValue(self.tape, $0) }
    }

    /// Returns the kind of a member without creating its value.
    package func kind(of name: String) -> JSONKind? { self.location(of: name).map { self.tape.entries[$0].kind } }

    /// Returns the string of a member without creating its value, or nil if it is not a string.
    package func string(of name: String) -> String? {
        guard let location = self.location(of: name), self.tape.entries[location].kind == .string else { return nil }
        return self.tape.string(location)
    }

    /// Returns the first of the given members that is neither a string nor null, in a single pass over the object.
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

    private func location(of name: String) -> Int? {
        guard self.kind == .object else { return nil }
        let location = name.utf8.withContiguousStorageIfAvailable { self.tape.member($0.span, of: self.index) }
        return location ?? Array(name.utf8).withSpan { self.tape.member($0, of: self.index) }
    }

    /// The element at a zero-based index, or nil if the index is out of bounds or this value is not an array.
    ///
    /// To read all elements, iterate over ``elements``.
    ///
    /// - Complexity: O(n), where n is the index.
    public subscript(_ location: Int) -> JSONValue? {
        guard location >= 0, location < self.elements?.count ?? 0 else { return nil }
        return self.elements?.dropFirst(location).first
    }

    /// Returns the value of the member with the given name.
    ///
    /// - Throws: ``JSONError`` with `missingMember` if the member is missing, or `wrongKind` if this value is not an
    ///   object.
    public func member(_ name: String) throws(JSONError) -> JSONValue {
        guard self.kind == .object else { throw JSONError(.wrongKind, offset: self.offset) }
        guard let value = self[name] else { throw JSONError(.missingMember, offset: self.offset) }
        return value
    }

    /// Returns the number as an integer.
    ///
    /// `1.0` and `1e3` are integers, but `1.5` is not.
    ///
    /// - Throws: ``JSONError`` with `wrongKind` if the value is not a number or has a fractional part, or
    ///   `numberOutOfRange` if it is outside the range of the type.
    public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Int.self) throws(JSONError) -> Integer {
        guard self.kind == .number else { throw JSONError(.wrongKind, offset: self.offset) }
        guard let small = self.smallInteger else { return try JSONNumberText.integer(self.bytes, as: type) }
        guard let integer = Integer(exactly: small) else { throw JSONError(.numberOutOfRange, offset: self.offset) }
        return integer
    }

    /// Returns the nearest finite double.
    ///
    /// Excess digits are rounded, and tiny numbers become 0.
    ///
    /// - Throws: ``JSONError`` with `wrongKind` if the value is not a number, or `numberOutOfRange` if it is too large,
    ///   such as `1e400`.
    public func double() throws(JSONError) -> Double {
        guard self.kind == .number else { throw JSONError(.wrongKind, offset: self.offset) }
        if let small = self.smallInteger, small != 0 { return Double(small) }
        guard let double = Double(self.text), double.isFinite else {
            throw JSONError(.numberOutOfRange, offset: self.offset)
        }
        return double
    }

    /// The number if it consists of at most 15 digits, as nearly all numbers do.
    ///
    /// Such a number can be represented exactly as both an integer and a double, and is faster to read.
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
    /// A description of the kind and size, such as `object with 5 members`.
    ///
    /// The contents are omitted because they may include tokens.
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
    /// Returns whether two values are equal, regardless of whitespace, escapes and the order of members.
    ///
    /// Numbers are compared by their text, so `1` and `1.0` are different.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.kind == right.kind else { return false }
        if left.bytes == right.bytes { return true }
        switch left.kind {
        case .null: return true
        case .bool: return left.entry.flag == right.entry.flag
        case .number: return false
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

    /// Hashes the kind, along with the contents of a scalar or the size of an array or object.
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
