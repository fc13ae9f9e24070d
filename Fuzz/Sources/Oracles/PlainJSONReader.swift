// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A JSON parser with one function for each rule of RFC 8259, which returns nil if the text does not match.
struct PlainJSONReader {
    private let text: [Unicode.Scalar]
    private var location = 0

    init(_ text: [Unicode.Scalar]) { self.text = text }

    mutating func document(depth: Int) -> PlainJSON? {
        self.space()
        guard let value = self.value(depth) else { return nil }
        self.space()
        return self.location == self.text.count ? value : nil
    }

    private mutating func value(_ depth: Int) -> PlainJSON? {
        switch self.peek {
        case "{": self.object(depth)
        case "[": self.array(depth)
        case "\"": self.string().map { .string(Array($0.utf8)) }
        case "t": self.take("true") ? .bool(true) : nil
        case "f": self.take("false") ? .bool(false) : nil
        case "n": self.take("null") ? .null : nil
        default: self.number()
        }
    }

    private mutating func object(_ depth: Int) -> PlainJSON? {
        guard depth > 0 else { return nil }
        var members: [(name: [UInt8], value: PlainJSON)] = []
        var names: Set<[UInt8]> = []
        let isWhole = self.list("{", "}") { reader in
            guard let name = reader.string().map({ Array($0.utf8) }), names.insert(name).inserted else { return false }
            reader.space()
            guard reader.take(":") else { return false }
            reader.space()
            guard let value = reader.value(depth - 1) else { return false }
            members.append((name, value))
            return true
        }
        return isWhole ? .object(members) : nil
    }

    private mutating func array(_ depth: Int) -> PlainJSON? {
        guard depth > 0 else { return nil }
        var elements: [PlainJSON] = []
        let isWhole = self.list("[", "]") { reader in
            guard let value = reader.value(depth - 1) else { return false }
            elements.append(value)
            return true
        }
        return isWhole ? .array(elements) : nil
    }

    private mutating func list(_ open: String, _ close: String, _ item: (inout Self) -> Bool) -> Bool {
        guard self.take(open) else { return false }
        self.space()
        if self.take(close) { return true }
        while true {
            self.space()
            guard item(&self) else { return false }
            self.space()
            if self.take(close) { return true }
            guard self.take(",") else { return false }
        }
    }

    private mutating func string() -> String? {
        guard self.take("\"") else { return nil }
        var units: [UInt16] = []
        while let scalar = self.next() {
            switch scalar {
            case "\"": return String(validating: units, as: UTF16.self)
            case "\\":
                guard let unit = self.escape() else { return nil }
                units.append(unit)
            case "\u{0}"..."\u{1F}": return nil
            default: units += Array(String(scalar).utf16)
            }
        }
        return nil
    }

    private mutating func escape() -> UInt16? {
        switch self.next() {
        case "\"": return 0x22
        case "\\": return 0x5C
        case "/": return 0x2F
        case "b": return 8
        case "f": return 12
        case "n": return 10
        case "r": return 13
        case "t": return 9
        case "u":
            let digits = self.text.dropFirst(self.location).prefix(4)
            self.location += digits.count
            guard digits.count == 4, digits.allSatisfy({ $0.isASCII && $0.properties.isASCIIHexDigit }) else {
                return nil
            }
            return UInt16(String(String.UnicodeScalarView(digits)), radix: 16)
        default: return nil
        }
    }

    private mutating func number() -> PlainJSON? {
        let start = self.location
        _ = self.take("-")
        if !self.take("0") {
            guard let first = self.peek, ("1"..."9").contains(first) else { return nil }
            self.digits()
        }
        if self.take(".") {
            guard self.digits() > 0 else { return nil }
        }
        if self.take("e") || self.take("E") {
            if !self.take("+") { _ = self.take("-") }
            guard self.digits() > 0 else { return nil }
        }
        return .number(String(String.UnicodeScalarView(self.text[start..<self.location])))
    }

    @discardableResult
    private mutating func digits() -> Int {
        let start = self.location
        while let scalar = self.peek, ("0"..."9").contains(scalar) { self.location += 1 }
        return self.location - start
    }

    private mutating func space() {
        while let scalar = self.peek, [" ", "\t", "\n", "\r"].contains(scalar) { self.location += 1 }
    }

    private mutating func take(_ word: String) -> Bool {
        guard self.text.dropFirst(self.location).starts(with: word.unicodeScalars) else { return false }
        self.location += word.unicodeScalars.count
        return true
    }

    private mutating func next() -> Unicode.Scalar? {
        defer { self.location += 1 }
        return self.peek
    }

    private var peek: Unicode.Scalar? { self.location < self.text.count ? self.text[self.location] : nil }
}
