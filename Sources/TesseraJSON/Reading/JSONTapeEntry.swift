// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension JSONTape {
    /// One value or name: where its text is, and for arrays and objects where the next value begins.
    struct Entry: Sendable {
        private var packed: UInt32
        let start: UInt32
        var end: UInt32
        /// The entry after everything that an array or object contains.
        var next: UInt32

        init(_ kind: JSONKind, start: Int, end: Int, flag: Bool = false) {
            self.packed = UInt32(truncatingIfNeeded: kind.rawValue) | (flag ? 8 : 0)
            self.start = UInt32(truncatingIfNeeded: start)
            self.end = UInt32(truncatingIfNeeded: end)
            self.next = 0
        }

        var kind: JSONKind { JSONKind(rawValue: UInt8(truncatingIfNeeded: self.packed & 7)) ?? .null }
        /// Whether a string has escapes, whether a number is digits only, or the value of a bool.
        var flag: Bool { self.packed & 8 != 0 }
        /// How many elements or members stand in it.
        var count: Int { Int(self.packed >> 4) }
        /// The whole text.
        var range: Range<Int> { Int(self.start)..<Int(self.end) }
        /// A string's text between its quotation marks.
        var content: Range<Int> { Int(self.start) + 1..<Int(self.end) - 1 }

        mutating func increment() { self.packed &+= 16 }
    }
}

extension JSONKind {
    var isContainer: Bool { self == .array || self == .object }
}
