// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A parsed document, which consists of its bytes and an entry for each value and each name in document order.
final class JSONTape: Sendable {
    let bytes: [UInt8]
    let entries: [Entry]

    init(bytes: [UInt8], entries: [Entry]) {
        self.bytes = bytes
        self.entries = entries
    }

    /// Returns the index of the entry after a value and its contents.
    func following(_ index: Int) -> Int {
        let entry = self.entries[index]
        return entry.isContainer ? Int(entry.next) : index + 1
    }

    /// Returns an entry's string with its escapes resolved.
    func string(_ index: Int) -> String {
        let (entry, bytes) = (self.entries[index], self.bytes)
        if entry.flag {
            return String(decoding: bytes.withSpan { JSONStringText.unescaped($0, entry.content) }, as: UTF8.self)
        }
        return bytes.withUnsafeBufferPointer { buffer in
            String(decoding: UnsafeBufferPointer(rebasing: buffer[entry.content]), as: UTF8.self)
        }
    }

    /// Returns the index of the value of the member with exactly this UTF-8 name, without normalization.
    func member(_ name: Span<UInt8>, of object: Int) -> Int? {
        let (entries, mark) = (self.entries, JSONNameHash.make(name, 0..<name.count))
        let end = Int(entries[object].next)
        var member = object + 1
        while member < end {
            if entries[member].next == mark, self.isString(member, name) { return member + 1 }
            let value = entries[member + 1]
            member = value.isContainer ? Int(value.next) : member + 2
        }
        return nil
    }

    /// Returns whether an entry's string has exactly these UTF-8 bytes, without normalization.
    private func isString(_ index: Int, _ text: Span<UInt8>) -> Bool {
        let (entry, bytes) = (self.entries[index], self.bytes)
        if entry.flag {
            let unescaped = bytes.withSpan { JSONStringText.unescaped($0, entry.content) }
            return unescaped.withSpan { $0.isExactly(text) }
        }
        return bytes.withSpan { $0.extracting(entry.content).isExactly(text) }
    }

    /// A value or a name, with the range of its text.
    struct Entry: Sendable {
        private var packed: UInt32
        let start: UInt32
        var end: UInt32
        /// The index of the entry after the contents of an array or object, or the mark of a name.
        ///
        /// While an array or object is open, it is 1 more than the index of the enclosing entry, or 0.
        var next: UInt32

        init(_ kind: JSONKind, start: Int, end: Int, flag: Bool = false) {
            self.packed = UInt32(truncatingIfNeeded: kind.rawValue) | (flag ? 8 : 0)
            self.start = UInt32(truncatingIfNeeded: start)
            self.end = UInt32(truncatingIfNeeded: end)
            self.next = 0
        }

        var kind: JSONKind { JSONKind(rawValue: UInt8(truncatingIfNeeded: self.packed & 7)) ?? .null }
        var isContainer: Bool { self.packed & 7 >= UInt32(truncatingIfNeeded: JSONKind.array.rawValue) }
        /// Whether a string has escapes or a number has only digits, or the value of a Boolean.
        var flag: Bool { self.packed & 8 != 0 }
        /// The number of elements or members.
        var count: Int { Int(self.packed >> 4) }
        /// The range of the whole text.
        var range: Range<Int> { Int(self.start)..<Int(self.end) }
        /// The range of a string without its quotation marks.
        var content: Range<Int> { Int(self.start) + 1..<Int(self.end) - 1 }

        /// The array or object that encloses an open one.
        var enclosing: Int? {
            get { self.next == 0 ? nil : Int(self.next) - 1 }
            set { self.next = UInt32(truncatingIfNeeded: newValue.map { $0 + 1 } ?? 0) }
        }

        /// Stores a name's ``JSONNameHash``, which reduces the number of comparisons when searching for duplicates and
        /// members.
        @inline(__always)
        mutating func mark(_ source: Span<UInt8>) {
            if self.flag {
                let name = JSONStringText.unescaped(source, self.content)
                self.next = name.withSpan { JSONNameHash.make($0, 0..<name.count) }
            } else {
                self.next = JSONNameHash.make(source, self.content)
            }
        }

        mutating func increment() { self.packed &+= 16 }
    }
}
