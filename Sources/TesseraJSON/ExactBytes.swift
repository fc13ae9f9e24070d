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
}
