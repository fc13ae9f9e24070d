// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension Array {
    /// Calls `body` with the elements.
    ///
    /// `Array.span` requires iOS 26 and macOS 26. The span of a buffer is available on every supported system version.
    @inlinable
    package func withSpan<Result, Failure: Error>(
        _ body: (Span<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try self.withUnsafeBufferPointer { buffer throws(Failure) in try body(buffer.span) }
    }
}

extension Span<UInt8> {
    /// Whether two spans hold the same bytes; eight are compared at a time.
    package func isExactly(_ other: Span<UInt8>) -> Bool {
        guard self.count == other.count else { return false }
        guard self.count >= 8 else {
            for place in self.indices where self[place] != other[place] { return false }
            return true
        }
        // The last eight bytes overlap those before them unless the length is a multiple of eight.
        let last = self.count &- 8
        var place = 0
        while place < last {
            guard self.word(place) == other.word(place) else { return false }
            place &+= 8
        }
        return self.word(last) == other.word(last)
    }

    private func word(_ place: Int) -> UInt64 {
        self.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self)
    }

    /// Where a byte comes next, at `start` or behind it; looked for eight bytes at a time.
    package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let wanted = ones &* UInt64(byte)
        var position = start
        while position <= self.count &- 8 {
            // A byte of `word` is 0 where the wanted one is; the lowest such byte has the lowest bit of `found`.
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
