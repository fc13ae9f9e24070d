// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A parser that validates a document in a single pass, without recursion.
struct JSONParser {
    private enum Expectation {
        case value
        case elementOrEnd
        case name
        case nameOrEnd
        case commaOrEnd
    }

    private var entries: [JSONTape.Entry] = []
    /// The innermost open array or object.
    ///
    /// Its entry refers to the enclosing array or object.
    private var innermost: Int?
    private var depth = 0
    private var expectation = Expectation.value

    static func parse(_ bytes: [UInt8], _ limits: JSONLimits) throws(JSONError) -> JSONTape {
        guard bytes.count <= limits.bytes else { throw JSONError(.tooLarge, offset: limits.bytes) }
        var parser = Self()
        parser.entries.reserveCapacity(bytes.count / 12 + 4)
        try bytes.withSpan { source throws(JSONError) in try parser.document(source, limits.depth) }
        return JSONTape(bytes: bytes, entries: parser.entries)
    }

    private mutating func document(_ source: Span<UInt8>, _ depth: Int) throws(JSONError) {
        var position = 0
        while true {
            position = Self.afterSpace(source, position)
            guard position < source.count else {
                guard self.innermost == nil, self.expectation == .commaOrEnd else {
                    throw JSONError(.invalidSyntax, offset: position)
                }
                return
            }
            switch self.expectation {
            case .value:
                position = try self.value(source, position, depth)
            case .elementOrEnd:
                if source[position] == JSONCharacter.closeBracket {
                    position = try self.close(source, position)
                } else {
                    position = try self.value(source, position, depth)
                }
            case .nameOrEnd where source[position] == JSONCharacter.closeBrace:
                position = try self.close(source, position)
            case .name, .nameOrEnd:
                position = try self.name(source, position)
            case .commaOrEnd:
                position = try self.separator(source, position)
            }
        }
    }

    @inline(__always)
    private mutating func value(_ source: Span<UInt8>, _ start: Int, _ depth: Int) throws(JSONError) -> Int {
        if let container = self.innermost { self.entries[container].increment() }
        switch source[start] {
        case JSONCharacter.quote:
            return try self.string(source, start)
        case JSONCharacter.minus, JSONCharacter.zero...JSONCharacter.nine:
            let (end, isInteger) = try JSONNumberText.end(source, start)
            return self.scalar(JSONTape.Entry(.number, start: start, end: end, flag: isInteger))
        case JSONCharacter.openBrace:
            return try self.begin(.object, start, depth)
        case JSONCharacter.openBracket:
            return try self.begin(.array, start, depth)
        case JSONCharacter.t:
            return try self.literal(source, start, "true", .bool, flag: true)
        case JSONCharacter.f:
            return try self.literal(source, start, "false", .bool, flag: false)
        case JSONCharacter.n:
            return try self.literal(source, start, "null", .null, flag: false)
        default:
            throw JSONError(.invalidSyntax, offset: start)
        }
    }

    @inline(__always)
    private mutating func begin(_ kind: JSONKind, _ start: Int, _ depth: Int) throws(JSONError) -> Int {
        guard self.depth < depth else { throw JSONError(.tooDeep, offset: start) }
        self.depth += 1
        var entry = JSONTape.Entry(kind, start: start, end: start)
        entry.enclosing = self.innermost
        self.innermost = self.entries.count
        self.entries.append(entry)
        self.expectation = kind == .object ? .nameOrEnd : .elementOrEnd
        return start + 1
    }

    @inline(__always)
    private mutating func close(_ source: Span<UInt8>, _ position: Int) throws(JSONError) -> Int {
        guard let container = self.innermost else { throw JSONError(.invalidSyntax, offset: position) }
        self.depth -= 1
        self.innermost = self.entries[container].enclosing
        self.entries[container].end = UInt32(truncatingIfNeeded: position + 1)
        self.entries[container].next = UInt32(truncatingIfNeeded: self.entries.count)
        if self.entries[container].kind == .object {
            try JSONNameCheck.check(source, self.entries, object: container)
        }
        self.expectation = .commaOrEnd
        return position + 1
    }

    @inline(__always)
    private mutating func separator(_ source: Span<UInt8>, _ position: Int) throws(JSONError) -> Int {
        guard let container = self.innermost else { throw JSONError(.invalidSyntax, offset: position) }
        let isObject = self.entries[container].kind == .object
        switch source[position] {
        case JSONCharacter.comma:
            self.expectation = isObject ? .name : .value
            return position + 1
        case isObject ? JSONCharacter.closeBrace : JSONCharacter.closeBracket:
            return try self.close(source, position)
        default:
            throw JSONError(.invalidSyntax, offset: position)
        }
    }

    @inline(__always)
    private mutating func name(_ source: Span<UInt8>, _ start: Int) throws(JSONError) -> Int {
        guard source[start] == JSONCharacter.quote else { throw JSONError(.invalidSyntax, offset: start) }
        let colon = Self.afterSpace(source, try self.string(source, start))
        self.entries[self.entries.count - 1].mark(source)
        guard colon < source.count, source[colon] == JSONCharacter.colon else {
            throw JSONError(.invalidSyntax, offset: colon)
        }
        self.expectation = .value
        return colon + 1
    }

    @inline(__always)
    private mutating func string(_ source: Span<UInt8>, _ start: Int) throws(JSONError) -> Int {
        var position = start + 1
        var hasEscapes = false
        while true {
            position = Self.afterPlainText(source, position)
            guard position < source.count else { throw JSONError(.invalidSyntax, offset: position) }
            switch source[position] {
            case JSONCharacter.quote:
                return self.scalar(JSONTape.Entry(.string, start: start, end: position + 1, flag: hasEscapes))
            case JSONCharacter.backslash:
                hasEscapes = true
                position = try JSONStringText.afterEscape(source, position)
            case 0..<JSONCharacter.space:
                throw JSONError(.invalidSyntax, offset: position)
            case 0x80...:
                position = try JSONStringText.afterSequence(source, position)
            default:
                position += 1
            }
        }
    }

    private mutating func literal(
        _ source: Span<UInt8>,
        _ start: Int,
        _ text: StaticString,
        _ kind: JSONKind,
        flag: Bool
    ) throws(JSONError) -> Int {
        let end = start + text.utf8CodeUnitCount
        guard end <= source.count else { throw JSONError(.invalidSyntax, offset: source.count) }
        let matches = text.withUTF8Buffer { letters in
            letters.indices.allSatisfy { source[start + $0] == letters[$0] }
        }
        guard matches else { throw JSONError(.invalidSyntax, offset: start) }
        return self.scalar(JSONTape.Entry(kind, start: start, end: end, flag: flag))
    }

    @inline(__always)
    private mutating func scalar(_ entry: JSONTape.Entry) -> Int {
        self.entries.append(entry)
        self.expectation = .commaOrEnd
        return Int(entry.end)
    }

    @inline(__always)
    private static func afterSpace(_ source: Span<UInt8>, _ start: Int) -> Int {
        var position = start
        while position < source.count {
            switch source[position] {
            case JSONCharacter.space, JSONCharacter.lineFeed, JSONCharacter.carriageReturn, JSONCharacter.tab:
                position += 1
            default:
                return position
            }
        }
        return position
    }

    /// Returns the position of the next quotation mark, backslash, control character or non-ASCII byte, or an earlier
    /// position near the end.
    ///
    /// Eight bytes are checked at a time. Each expression sets the top bit of a byte if it is such a character. A
    /// borrow can also set the bit of a higher byte, so only the lowest set bit is valid.
    @inline(__always)
    private static func afterPlainText(_ source: Span<UInt8>, _ start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let raw = source.bytes
        var position = start
        while source.count - position >= 8 {
            let word = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quote = word ^ (ones &* UInt64(JSONCharacter.quote))
            let backslash = word ^ (ones &* UInt64(JSONCharacter.backslash))
            var special = (quote &- ones) & ~quote
            special |= (backslash &- ones) & ~backslash
            special |= (word &- ones &* UInt64(JSONCharacter.space)) & ~word
            special = (special | word) & (ones &* 0x80)
            if special != 0 { return position + special.trailingZeroBitCount / 8 }
            position += 8
        }
        return position
    }
}

/// The bytes that have a special meaning in the JSON grammar.
///
/// - SeeAlso: [RFC 8259, section 2](https://www.rfc-editor.org/rfc/rfc8259.html#section-2)
enum JSONCharacter {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let plus: UInt8 = 0x2B
    static let comma: UInt8 = 0x2C
    static let minus: UInt8 = 0x2D
    static let point: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let zero: UInt8 = 0x30
    static let nine: UInt8 = 0x39
    static let colon: UInt8 = 0x3A
    static let exponent: UInt8 = 0x65
    static let openBracket: UInt8 = 0x5B
    static let backslash: UInt8 = 0x5C
    static let closeBracket: UInt8 = 0x5D
    static let b: UInt8 = 0x62
    static let f: UInt8 = 0x66
    static let n: UInt8 = 0x6E
    static let r: UInt8 = 0x72
    static let t: UInt8 = 0x74
    static let u: UInt8 = 0x75
    static let openBrace: UInt8 = 0x7B
    static let closeBrace: UInt8 = 0x7D
}
