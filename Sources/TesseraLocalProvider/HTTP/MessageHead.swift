// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// The fields at the beginning of a message, and what follows them (RFC 5322, section 2.2; RFC 2045, section 3).
struct MessageHead: Sendable {
    private(set) var fields: [(name: String, value: String)] = []
    /// What follows the empty line; nil where there is none.
    private(set) var content: ArraySlice<UInt8>?

    /// Nil when a line before the empty one is no field.
    init?(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            let line = Self.withoutLineBreak(rest[rest.startIndex..<end])
            rest = rest[end...]
            guard let first = line.first else {
                self.content = rest
                return
            }
            let text = String(decoding: line, as: UTF8.self)
            if [UInt8(ascii: " "), UInt8(ascii: "\t")].contains(first), !self.fields.isEmpty {
                // A folded line belongs to the field before.
                self.fields[self.fields.count - 1].value += " " + text.trimmed
                continue
            }
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
            let name = text[..<colon].trimmed
            guard !name.contains(" ") else { return nil }
            self.fields.append((name, text[text.index(after: colon)...].trimmed))
        }
    }

    /// The first field of that name, in any case.
    subscript(_ name: String) -> String? {
        self.fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// A line without the break at its end.
    static func withoutLineBreak(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        if bytes.last == UInt8(ascii: "\n") { bytes = bytes.dropLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
        return bytes
    }
}
#endif
