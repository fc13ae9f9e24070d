// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The bytes of a code: what it says, padded, with error correction, interleaved.
enum QRCodeCodewords {
    static func make(_ text: [UInt8], for layout: QRCodeLayout) -> [UInt8] {
        let data = Self.data(text, layout)
        let shortLength = layout.dataCount / layout.blockCount
        // The last blocks have one codeword more where the division leaves a rest.
        let shortCount = layout.blockCount - layout.dataCount % layout.blockCount
        var blocks: [[UInt8]] = []
        var start = 0
        for index in 0..<layout.blockCount {
            let end = start + shortLength + (index < shortCount ? 0 : 1)
            blocks.append(Array(data[start..<end]))
            start = end
        }
        let divisor = ReedSolomon.divisor(layout.correctionCount)
        let corrections = blocks.map { ReedSolomon.remainder($0, divisor) }
        return Self.interleaved(blocks) + Self.interleaved(corrections)
    }

    /// Mode, count, bytes, terminator, and the padding that the standard names.
    private static func data(_ text: [UInt8], _ layout: QRCodeLayout) -> [UInt8] {
        var bits = QRCodeBits()
        bits.append(0b0100, count: 4)
        bits.append(text.count, count: layout.countBits)
        for byte in text { bits.append(Int(byte), count: 8) }
        bits.append(0, count: min(4, 8 * layout.dataCount - bits.count))
        bits.append(0, count: (8 - bits.count % 8) % 8)
        var bytes = bits.bytes
        var padding: UInt8 = 0xEC
        while bytes.count < layout.dataCount {
            bytes.append(padding)
            padding ^= 0xEC ^ 0x11
        }
        return bytes
    }

    private static func interleaved(_ blocks: [[UInt8]]) -> [UInt8] {
        let longest = blocks.map(\.count).max() ?? 0
        return (0..<longest).flatMap { index in blocks.compactMap { index < $0.count ? $0[index] : nil } }
    }
}

/// Bits, the most significant first.
private struct QRCodeBits {
    private var bits: [Bool] = []

    var count: Int { self.bits.count }

    mutating func append(_ value: Int, count: Int) {
        for shift in (0..<count).reversed() { self.bits.append(value >> shift & 1 == 1) }
    }

    var bytes: [UInt8] {
        stride(from: 0, to: self.bits.count, by: 8)
            .map { start in (0..<8).reduce(0) { $0 << 1 | (self.bits[start + $1] ? 1 : 0) } }
    }
}
