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
        return entry.kind.isContainer ? Int(entry.next) : index + 1
    }

    /// The text of a string entry, with escapes resolved.
    func string(_ index: Int) -> String {
        let (entry, bytes) = (self.entries[index], self.bytes)
        if entry.flag {
            return String(decoding: JSONStringText.unescaped(bytes.span, entry.content), as: UTF8.self)
        }
        return bytes.withUnsafeBufferPointer { buffer in
            String(decoding: UnsafeBufferPointer(rebasing: buffer[entry.content]), as: UTF8.self)
        }
    }

    /// Whether a string entry's text is exactly these UTF-8 bytes; no normalization.
    func isString(_ index: Int, _ text: Span<UInt8>) -> Bool {
        let (entry, bytes) = (self.entries[index], self.bytes)
        if entry.flag {
            let unescaped = JSONStringText.unescaped(bytes.span, entry.content)
            return JSONStringText.equal(unescaped.span, 0..<unescaped.count, text, 0..<text.count)
        }
        return JSONStringText.equal(bytes.span, entry.content, text, 0..<text.count)
    }
}
