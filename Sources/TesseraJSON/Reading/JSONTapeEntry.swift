// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension JSONTape {
    /// One value or name: where its text is, and for arrays and objects where the next value begins.
    struct Entry: Sendable {
        private var packed: UInt32
        let start: UInt32
        var end: UInt32
        /// The entry after everything that an array or object contains; while it is open, 1 more than the entry around
        /// it, or 0; for names their mark.
        var next: UInt32

        init(_ kind: JSONKind, start: Int, end: Int, flag: Bool = false) {
            self.packed = UInt32(truncatingIfNeeded: kind.rawValue) | (flag ? 8 : 0)
            self.start = UInt32(truncatingIfNeeded: start)
            self.end = UInt32(truncatingIfNeeded: end)
            self.next = 0
        }

        var kind: JSONKind { JSONKind(rawValue: UInt8(truncatingIfNeeded: self.packed & 7)) ?? .null }
        var isContainer: Bool { self.packed & 7 >= UInt32(truncatingIfNeeded: JSONKind.array.rawValue) }
        /// Whether a string has escapes, whether a number is digits only, or the value of a bool.
        var flag: Bool { self.packed & 8 != 0 }
        /// How many elements or members stand in it.
        var count: Int { Int(self.packed >> 4) }
        /// The whole text.
        var range: Range<Int> { Int(self.start)..<Int(self.end) }
        /// A string's text between its quotation marks.
        var content: Range<Int> { Int(self.start) + 1..<Int(self.end) - 1 }

        /// The array or object around an open one.
        var enclosing: Int? {
            get { self.next == 0 ? nil : Int(self.next) - 1 }
            set { self.next = UInt32(truncatingIfNeeded: newValue.map { $0 + 1 } ?? 0) }
        }

        /// Keeps a name's ``JSONNameMark``, by which duplicates and members are found without a look at every name.
        mutating func mark(_ source: Span<UInt8>) {
            if self.flag {
                let name = JSONStringText.unescaped(source, self.content)
                self.next = name.withSpan { JSONNameMark.make($0, 0..<name.count) }
            } else {
                self.next = JSONNameMark.make(source, self.content)
            }
        }

        mutating func increment() { self.packed &+= 16 }
    }
}
