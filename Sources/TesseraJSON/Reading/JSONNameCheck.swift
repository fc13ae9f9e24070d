// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Finds two members of one name in an object.
///
/// RFC 8259 leaves open what such an object means, and parsers disagree; two readings of one token are an attack.
/// Small objects compare their names pair by pair, large ones hash them with the process's random seed.
struct JSONNameCheck {
    private static let pairwiseLimit = 32

    /// A number that equal names share, one for each member; kept to save the allocation.
    private var marks: [UInt64] = []
    private var members: [Int] = []

    mutating func check(_ source: Span<UInt8>, _ entries: [JSONTape.Entry], object: Int) throws(JSONError) {
        let count = entries[object].count
        guard count > 1 else { return }
        self.marks.removeAll(keepingCapacity: true)
        self.members.removeAll(keepingCapacity: true)
        let isLarge = count > Self.pairwiseLimit
        var member = object + 1
        for _ in 0..<count {
            self.members.append(member)
            self.marks.append(Self.mark(source, entries[member], hashed: isLarge))
            let value = entries[member + 1]
            member = value.kind.isContainer ? Int(value.next) : member + 2
        }
        let duplicate = isLarge ? self.hashedDuplicate(source, entries) : self.pairwiseDuplicate(source, entries)
        if let duplicate {
            throw JSONError(.duplicateMember, offset: Int(entries[duplicate].start))
        }
    }

    private func pairwiseDuplicate(_ source: Span<UInt8>, _ entries: [JSONTape.Entry]) -> Int? {
        for later in 1..<self.marks.count {
            let mark = self.marks[later]
            for earlier in 0..<later where self.marks[earlier] == mark {
                if Self.equal(source, entries[self.members[earlier]], entries[self.members[later]]) {
                    return self.members[later]
                }
            }
        }
        return nil
    }

    private func hashedDuplicate(_ source: Span<UInt8>, _ entries: [JSONTape.Entry]) -> Int? {
        var slots = 64
        while slots < self.marks.count * 2 { slots *= 2 }
        // A slot holds the number of a member plus 1.
        var table = [UInt32](repeating: 0, count: slots)
        for index in self.marks.indices {
            var slot = Int(truncatingIfNeeded: self.marks[index]) & (slots - 1)
            while table[slot] != 0 {
                let other = Int(table[slot]) - 1
                if self.marks[other] == self.marks[index],
                    Self.equal(source, entries[self.members[other]], entries[self.members[index]])
                {
                    return self.members[index]
                }
                slot = (slot + 1) & (slots - 1)
            }
            table[slot] = UInt32(truncatingIfNeeded: index + 1)
        }
        return nil
    }

    private static func mark(_ source: Span<UInt8>, _ entry: JSONTape.Entry, hashed: Bool) -> UInt64 {
        if entry.flag {
            let name = JSONStringText.unescaped(source, entry.content)
            return Self.mark(name.span, 0..<name.count, hashed: hashed)
        }
        return Self.mark(source, entry.content, hashed: hashed)
    }

    private static func mark(_ source: Span<UInt8>, _ range: Range<Int>, hashed: Bool) -> UInt64 {
        if hashed {
            var hasher = Hasher()
            source.extracting(range).withUnsafeBytes { hasher.combine(bytes: $0) }
            return UInt64(truncatingIfNeeded: hasher.finalize())
        }
        // Length, first four and last three bytes tell most names apart.
        var mark = UInt64(truncatingIfNeeded: range.count)
        for byte in range.prefix(4) { mark = mark << 8 | UInt64(source[byte]) }
        for byte in range.suffix(3) { mark = mark << 8 | UInt64(source[byte]) }
        return mark
    }

    private static func equal(_ source: Span<UInt8>, _ left: JSONTape.Entry, _ right: JSONTape.Entry) -> Bool {
        if left.flag || right.flag {
            return JSONStringText.unescaped(source, left.content) == JSONStringText.unescaped(source, right.content)
        }
        return JSONStringText.equal(source, left.content, source, right.content)
    }
}
