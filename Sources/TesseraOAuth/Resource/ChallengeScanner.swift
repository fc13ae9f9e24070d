// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Walks over the bytes of a `WWW-Authenticate` field.
struct ChallengeScanner {
    private let bytes: [UInt8]
    var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var atEnd: Bool { self.position >= self.bytes.count }
    private var current: UInt8? { self.atEnd ? nil : self.bytes[self.position] }

    func peekIs(_ byte: UInt8) -> Bool { self.current == byte }

    @discardableResult
    mutating func skip(_ belongs: (UInt8) -> Bool) -> Int {
        let start = self.position
        while let byte = self.current, belongs(byte) { self.position += 1 }
        return self.position - start
    }

    /// `token`, RFC 9110, section 5.6.2.
    mutating func token() -> String? {
        let start = self.position
        self.skip { $0.isTokenCharacter }
        return start == self.position ? nil : String(decoding: self.bytes[start..<self.position], as: UTF8.self)
    }

    /// A token68 that stands alone: up to the end or the next comma.
    ///
    /// Else nothing is consumed.
    mutating func token68() -> String? {
        let start = self.position
        self.skip { $0.isToken68Character }
        let body = self.position
        self.skip { $0 == 0x3D }
        let end = self.position
        self.skip { $0.isSpace }
        guard body > start, self.atEnd || self.peekIs(0x2C) else {
            self.position = start
            return nil
        }
        return String(decoding: self.bytes[start..<end], as: UTF8.self)
    }

    /// `= value`, where the value is a token or a quoted string; nil when it is neither.
    mutating func parameterValue() -> String? {
        self.skip { $0.isSpace }
        guard self.peekIs(0x3D) else { return nil }
        self.position += 1
        self.skip { $0.isSpace }
        return self.peekIs(0x22) ? self.quotedString() : self.token()
    }

    private mutating func quotedString() -> String? {
        self.position += 1
        var content: [UInt8] = []
        while let byte = self.current {
            self.position += 1
            if byte == 0x22 { return String(decoding: content, as: UTF8.self) }
            if byte == 0x5C, let escaped = self.current {
                self.position += 1
                content.append(escaped)
            } else {
                content.append(byte)
            }
        }
        return nil
    }
}

extension UInt8 {
    var isSpace: Bool { self == 0x20 || self == 0x09 }

    fileprivate var isLetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }

    fileprivate var isTokenCharacter: Bool { self.isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }

    var isToken68Character: Bool { self.isLetterOrDigit || "-._~+/".utf8.contains(self) }
}
