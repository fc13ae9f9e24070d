// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension Array {
    /// Calls `body` with a span of the elements.
    ///
    /// `Array.span` requires iOS 26 and macOS 26, but a buffer's span is available in all supported system versions.
    @inlinable
    package func withSpan<Result, Failure: Error>(
        _ body: (Span<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try self.withUnsafeBufferPointer { buffer throws(Failure) in try body(buffer.span) }
    }
}

extension Span<UInt8> {
    /// Returns whether two spans contain the same bytes, comparing eight at a time.
    package func isExactly(_ other: Span<UInt8>) -> Bool {
        guard self.count == other.count else { return false }
        guard self.count >= 8 else {
            for location in self.indices where self[location] != other[location] { return false }
            return true
        }
        // The last eight bytes overlap the previous ones unless the length is a multiple of eight.
        let last = self.count &- 8
        var location = 0
        while location < last {
            guard self.word(location) == other.word(location) else { return false }
            location &+= 8
        }
        return self.word(last) == other.word(last)
    }

    private func word(_ location: Int) -> UInt64 {
        self.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: location, as: UInt64.self)
    }

    /// Returns the first position of a byte at or after `start`, searching eight bytes at a time.
    package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let wanted = ones &* UInt64(byte)
        var position = start
        while position <= self.count &- 8 {
            // A byte of `word` is 0 where it matches. The lowest such byte has the lowest set bit of `found`.
            let loaded = self.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
            let word = UInt64(littleEndian: loaded) ^ wanted
            let found = (word &- ones) & ~word & (ones &* 0x80)
            if found != 0 { return position &+ found.trailingZeroBitCount &>> 3 }
            position &+= 8
        }
        while position < self.count {
            if self[position] == byte { return position }
            position &+= 1
        }
        return nil
    }
}
