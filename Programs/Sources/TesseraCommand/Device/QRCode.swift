// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole

/// A QR code for a text, to scan from a terminal.
///
/// The code uses byte mode, error correction level L and versions 1 to 20, which hold up to 858 bytes.
///
/// - SeeAlso: ISO/IEC 18004
struct QRCode {
    /// The number of modules on each side, without the quiet zone.
    let size: Int
    private let modules: [Bool]

    /// Creates a code for a text, or returns nil if the text is too long.
    init?(_ text: String) {
        guard let layout = QRCodeLayout(holding: text.utf8.count) else { return nil }
        let codewords = QRCodeCodewords.make(Array(text.utf8), for: layout)
        let plain = QRCodeMatrix(layout, codewords: codewords)
        let masked = (0..<8).map { plain.masked(by: $0) }
        // There are always eight candidates.
        guard let best = masked.min(by: { $0.penalty < $1.penalty }) else { return nil }
        self.size = layout.size
        self.modules = best.modules
    }

    /// Returns whether a module is dark, which is never the case outside of the code.
    func isDark(_ x: Int, _ y: Int) -> Bool {
        (0..<self.size).contains(x) && (0..<self.size).contains(y) && self.modules[y * self.size + x]
    }

    /// The code in half blocks, with two modules per character, including the quiet zone.
    ///
    /// Light modules are drawn and dark modules are left blank, because most terminals have a dark background and QR
    /// code readers accept inverted codes.
    var terminalText: String {
        let quietZone = 2
        let range = -quietZone..<self.size + quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2)
            .map { y in
                String(
                    range.map { x -> Character in
                        switch (self.isDark(x, y), self.isDark(x, y + 1) || y + 1 >= range.upperBound) {
                        case (false, false): "█"
                        case (false, true): "▀"
                        case (true, false): "▄"
                        case (true, true): " "
                        }
                    }
                )
            }
            .joined(separator: "\n")
    }
}

/// The dimensions and capacity of a code version at error correction level L.
struct QRCodeLayout {
    /// The version, from 1 to 20.
    let version: Int

    private static let correctionPerBlock = [
        7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
    ]
    private static let blocks = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8]

    /// Creates the smallest layout that holds a number of bytes, or returns nil if no version is large enough.
    init?(holding count: Int) {
        let fitting = (1...Self.blocks.count).lazy.map(QRCodeLayout.init(version:))
            .first { 4 + $0.countBits + 8 * count <= 8 * $0.dataCount }
        guard let fitting else { return nil }
        self = fitting
    }

    private init(version: Int) { self.version = version }

    /// The number of modules on each side.
    var size: Int { 17 + 4 * self.version }
    /// The number of bits in the character count field.
    var countBits: Int { self.version < 10 ? 8 : 16 }
    /// The number of blocks that the data is divided into.
    var blockCount: Int { Self.blocks[self.version - 1] }
    /// The number of error correction codewords in each block.
    var correctionCount: Int { Self.correctionPerBlock[self.version - 1] }
    /// The total number of data codewords.
    var dataCount: Int { self.codewordCount - self.blockCount * self.correctionCount }

    /// The total number of codewords: the modules that are not part of a pattern, in groups of eight.
    var codewordCount: Int {
        var modules = (16 * self.version + 128) * self.version + 64
        if self.version >= 2 {
            let count = self.version / 7 + 2
            modules -= (25 * count - 10) * count - 55
        }
        if self.version >= 7 { modules -= 36 }
        return modules / 8
    }

    /// The centers of the alignment patterns on both axes.
    var alignmentPositions: [Int] {
        guard self.version >= 2 else { return [] }
        let count = self.version / 7 + 2
        let step = (self.version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<count - 1).map { self.size - 7 - $0 * step }.reversed()
    }
}

/// Creates a code's codewords: the padded text with error correction, interleaved.
enum QRCodeCodewords {
    static func make(_ text: [UInt8], for layout: QRCodeLayout) -> [UInt8] {
        let data = Self.data(text, layout)
        let shortLength = layout.dataCount / layout.blockCount
        // If the data cannot be divided equally, the last blocks have one more codeword.
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

    /// Returns the mode, the character count, the bytes, the terminator and the standard padding.
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

/// A bit buffer, with the most significant bit first.
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

/// Reed-Solomon error correction over GF(256) with the polynomial 0x11D.
enum ReedSolomon {
    /// Returns the divisor for a number of correction codewords: the product of (x − 2ⁱ), without its leading 1.
    static func divisor(_ degree: Int) -> [UInt8] {
        var coefficients = [UInt8](repeating: 0, count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in coefficients.indices {
                coefficients[index] = Self.product(coefficients[index], root)
                if index + 1 < degree { coefficients[index] ^= coefficients[index + 1] }
            }
            root = Self.product(root, 2)
        }
        return coefficients
    }

    /// Returns the error correction codewords, which are the remainder of the data divided by the divisor.
    static func remainder(_ data: [UInt8], _ divisor: [UInt8]) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: divisor.count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for index in divisor.indices { remainder[index] ^= Self.product(divisor[index], factor) }
        }
        return remainder
    }

    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product: UInt16 = 0
        for shift in (0..<8).reversed() {
            product = product << 1 ^ (product >> 7) * 0x11D
            if right >> shift & 1 == 1 { product ^= UInt16(left) }
        }
        return UInt8(truncatingIfNeeded: product)
    }
}
