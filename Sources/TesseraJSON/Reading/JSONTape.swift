// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A parsed document: its bytes, and one entry for each value and each member's name, in the order of the text.
final class JSONTape: Sendable {
    let bytes: [UInt8]
    let entries: [Entry]

    init(bytes: [UInt8], entries: [Entry]) {
        self.bytes = bytes
        self.entries = entries
    }

    /// The entry after the value at `index`, with all that it contains.
    func following(_ index: Int) -> Int {
        let entry = self.entries[index]
        return entry.isContainer ? Int(entry.next) : index + 1
    }

    /// The text of a string entry, with escapes resolved.
    func string(_ index: Int) -> String {
        let (entry, bytes) = (self.entries[index], self.bytes)
        if entry.flag {
            return String(decoding: bytes.withSpan { JSONStringText.unescaped($0, entry.content) }, as: UTF8.self)
        }
        return bytes.withUnsafeBufferPointer { buffer in
            String(decoding: UnsafeBufferPointer(rebasing: buffer[entry.content]), as: UTF8.self)
        }
    }

    /// The value of the object's member whose name is exactly these UTF-8 bytes; no normalization.
    func member(_ name: Span<UInt8>, of object: Int) -> Int? {
        let (entries, mark) = (self.entries, JSONNameMark.make(name, 0..<name.count))
        let end = Int(entries[object].next)
        var member = object + 1
        while member < end {
            if entries[member].next == mark, self.isString(member, name) { return member + 1 }
            let value = entries[member + 1]
            member = value.isContainer ? Int(value.next) : member + 2
        }
        return nil
    }

    /// Whether a string entry's text is exactly these UTF-8 bytes; no normalization.
    private func isString(_ index: Int, _ text: Span<UInt8>) -> Bool {
        let (entry, bytes) = (self.entries[index], self.bytes)
        if entry.flag {
            let unescaped = bytes.withSpan { JSONStringText.unescaped($0, entry.content) }
            return unescaped.withSpan { $0.isExactly(text) }
        }
        return bytes.withSpan { $0.extracting(entry.content).isExactly(text) }
    }

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
        @inline(__always)
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
