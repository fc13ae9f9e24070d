// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension Span<UInt8> {
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
