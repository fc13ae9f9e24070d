// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A check for duplicate member names in an object.
///
/// RFC 8259 does not define the meaning of an object with duplicate names, and parsers disagree about it. An attacker
/// could exploit a token that two parsers read differently. In a small object, which needs no additional memory, a name
/// is compared only with earlier names that may have the same mark. If an object is large or many marks are equal, the
/// names are stored in a hash table that uses the process's random seed.
enum JSONNameCheck {
    private static let pairwiseLimit = 32
    /// The maximum number of comparisons between names with the same mark in a small object.
    ///
    /// Ordinary names rarely have the same mark. Without a limit, each of many long names with the same mark would be
    /// compared with all the others.
    private static let comparisonLimit = 8

    static func check(_ source: Span<UInt8>, _ entries: [JSONTape.Entry], object: Int) throws(JSONError) {
        let count = entries[object].count
        guard count > 1 else { return }
        let duplicate =
            count > Self.pairwiseLimit
            ? Self.hashedDuplicate(source, entries, object, count)
            : Self.pairwiseDuplicate(source, entries, object, count)
        if let duplicate {
            throw JSONError(.duplicateMember, offset: Int(entries[duplicate].start))
        }
    }

    private static func pairwiseDuplicate(
        _ source: Span<UInt8>,
        _ entries: [JSONTape.Entry],
        _ object: Int,
        _ count: Int
    ) -> Int? {
        // Each bit represents a 64th of the marks. The first name with a given bit is not a duplicate.
        var seen: UInt64 = 0
        var comparisons = 0
        var later = object + 1
        for location in 0..<count {
            let mark = entries[later].next
            let bit: UInt64 = 1 << UInt64(mark >> 26)
            if seen & bit != 0 {
                var earlier = object + 1
                for _ in 0..<location {
                    if entries[earlier].next == mark {
                        guard comparisons < Self.comparisonLimit else {
                            return Self.hashedDuplicate(source, entries, object, count)
                        }
                        comparisons += 1
                        if Self.equal(source, entries[earlier], entries[later]) { return later }
                    }
                    earlier = Self.following(entries, earlier)
                }
            }
            seen |= bit
            later = Self.following(entries, later)
        }
        return nil
    }

    private static func hashedDuplicate(
        _ source: Span<UInt8>,
        _ entries: [JSONTape.Entry],
        _ object: Int,
        _ count: Int
    ) -> Int? {
        var slots = 64
        while slots < count * 2 { slots *= 2 }
        // A slot contains a member and the upper half of its hash. Entry 0 is never a member.
        var table = [(member: UInt32, hash: UInt32)](repeating: (0, 0), count: slots)
        var member = object + 1
        for _ in 0..<count {
            let hash = Self.hash(source, entries[member])
            let half = UInt32(truncatingIfNeeded: hash >> 32)
            var slot = Int(truncatingIfNeeded: hash) & (slots - 1)
            while table[slot].member != 0 {
                if table[slot].hash == half, Self.equal(source, entries[Int(table[slot].member)], entries[member]) {
                    return member
                }
                slot = (slot + 1) & (slots - 1)
            }
            table[slot] = (UInt32(truncatingIfNeeded: member), half)
            member = Self.following(entries, member)
        }
        return nil
    }

    /// Returns the name that follows a name and its value.
    @inline(__always)
    private static func following(_ entries: [JSONTape.Entry], _ name: Int) -> Int {
        let value = entries[name + 1]
        return value.isContainer ? Int(value.next) : name + 2
    }

    private static func hash(_ source: Span<UInt8>, _ entry: JSONTape.Entry) -> UInt64 {
        var hasher = Hasher()
        if entry.flag {
            JSONStringText.unescaped(source, entry.content).withUnsafeBytes { hasher.combine(bytes: $0) }
        } else {
            source.extracting(entry.content).withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    private static func equal(_ source: Span<UInt8>, _ left: JSONTape.Entry, _ right: JSONTape.Entry) -> Bool {
        if left.flag || right.flag {
            return JSONStringText.unescaped(source, left.content) == JSONStringText.unescaped(source, right.content)
        }
        return source.extracting(left.content).isExactly(source.extracting(right.content))
    }
}

/// A number (the name's mark) that is computed from the length and the outer bytes of a name.
///
/// Equal names have equal marks, so marks reduce the number of comparisons. Names with the same mark must still be
/// compared.
enum JSONNameHash {
    @inline(__always)
    static func make(_ text: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
        let (count, bytes) = (range.count, text.bytes)
        var outermost: UInt64 = 0
        if count >= 4 {
            let first = bytes.unsafeLoadUnaligned(fromByteOffset: range.lowerBound, as: UInt32.self)
            let last = bytes.unsafeLoadUnaligned(fromByteOffset: range.upperBound - 4, as: UInt32.self)
            outermost = UInt64(first) << 32 | UInt64(last)
        } else {
            for location in range { outermost = outermost << 8 | UInt64(text[location]) }
        }
        let mixed = (outermost ^ UInt64(truncatingIfNeeded: count) << 24) &* 0x9E37_79B9_7F4A_7C15
        return UInt32(truncatingIfNeeded: mixed >> 32)
    }
}
