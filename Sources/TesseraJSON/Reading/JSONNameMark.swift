// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A number that equal names share and most others do not, made of their length and their outermost bytes.
///
/// It only saves comparisons: whoever finds two marks equal compares the names.
enum JSONNameMark {
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
