// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Finds two members of one name in an object.
///
/// RFC 8259 leaves open what such an object means, and parsers disagree; two readings of one token are an attack.
/// Small objects compare a name with those before it only when one of them may have its mark, which takes no memory;
/// large ones, and those with many names of one mark, hash their names with the process's random seed.
enum JSONNameCheck {
    private static let pairwiseLimit = 32
    /// How often two names of one mark are compared in a small object.
    ///
    /// Honest names rarely share a mark. Long names that do would each be read for every other one.
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
        // One bit for each sixty-fourth of the marks: what has its bit to itself is no duplicate.
        var seen: UInt64 = 0
        var comparisons = 0
        var later = object + 1
        for place in 0..<count {
            let mark = entries[later].next
            let bit: UInt64 = 1 << UInt64(mark >> 26)
            if seen & bit != 0 {
                var earlier = object + 1
                for _ in 0..<place {
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
        // A slot holds a member and the upper half of its hash; no member is entry 0.
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

    /// The name after a name and its value.
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

/// A number that equal names share and most others do not, made of their length and their outermost bytes.
///
/// It only saves comparisons: whoever finds two marks equal compares the names.
enum JSONNameMark {
    @inline(__always)
    static func make(_ text: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
        let (count, bytes) = (range.count, text.bytes)
        var outermost: UInt64 = 0
        if count >= 4 {
            let first = bytes.unsafeLoadUnaligned(fromByteOffset: range.lowerBound, as: UInt32.self)
            let last = bytes.unsafeLoadUnaligned(fromByteOffset: range.upperBound - 4, as: UInt32.self)
            outermost = UInt64(first) << 32 | UInt64(last)
        } else {
            for place in range { outermost = outermost << 8 | UInt64(text[place]) }
        }
        let mixed = (outermost ^ UInt64(truncatingIfNeeded: count) << 24) &* 0x9E37_79B9_7F4A_7C15
        return UInt32(truncatingIfNeeded: mixed >> 32)
    }
}
