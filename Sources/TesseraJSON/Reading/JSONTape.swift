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
}
