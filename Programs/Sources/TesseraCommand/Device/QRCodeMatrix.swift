// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole

/// The modules of a code, which consist of its patterns and its codewords.
struct QRCodeMatrix {
    private(set) var modules: [Bool]
    private var isPattern: [Bool]
    private let layout: QRCodeLayout
    private var size: Int { self.layout.size }

    init(_ layout: QRCodeLayout, codewords: [UInt8]) {
        self.layout = layout
        self.modules = Array(repeating: false, count: layout.size * layout.size)
        self.isPattern = self.modules
        self.drawPatterns()
        self.draw(codewords)
    }

    /// Returns the code with one of the eight masks applied and recorded in the format information.
    func masked(by mask: Int) -> QRCodeMatrix {
        var result = self
        for y in 0..<self.size {
            for x in 0..<self.size where !self.isPattern[y * self.size + x] && Self.inverts(mask, x, y) {
                result.modules[y * self.size + x].toggle()
            }
        }
        result.drawFormat(mask)
        return result
    }

    private static func inverts(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
        guard (0..<self.size).contains(x), (0..<self.size).contains(y) else { return }
        self.modules[y * self.size + x] = isDark
        self.isPattern[y * self.size + x] = true
    }

    private mutating func drawPatterns() {
        for index in 0..<self.size {
            self.set(6, index, index % 2 == 0)
            self.set(index, 6, index % 2 == 0)
        }
        for (x, y) in [(3, 3), (self.size - 4, 3), (3, self.size - 4)] { self.drawSquares(x, y, radius: 4) }
        let positions = self.layout.alignmentPositions
        for y in positions {
            for x in positions where !self.isFinder(x, y) { self.drawSquares(x, y, radius: 2) }
        }
        self.drawFormat(0)
        self.drawVersion()
    }

    private func isFinder(_ x: Int, _ y: Int) -> Bool {
        (x == 6 && (y == 6 || y == self.size - 7)) || (x == self.size - 7 && y == 6)
    }

    /// Draws the concentric squares of a pattern.
    ///
    /// A finder pattern is light at distances 2 and 4 (its separator) from the center, and an alignment pattern at
    /// distance 1.
    private mutating func drawSquares(_ middleX: Int, _ middleY: Int, radius: Int) {
        for y in -radius...radius {
            for x in -radius...radius {
                let distance = max(abs(x), abs(y))
                self.set(middleX + x, middleY + y, radius == 4 ? distance != 2 && distance != 4 : distance != 1)
            }
        }
    }

    /// Draws both copies of the format information, which consists of error correction level L and the mask.
    private mutating func drawFormat(_ mask: Int) {
        let data = 0b01 << 3 | mask
        let bits = (data << 10 | Self.remainder(data, bits: 10, polynomial: 0x537)) ^ 0x5412
        func isDark(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0..<6 { self.set(8, index, isDark(index)) }
        self.set(8, 7, isDark(6))
        self.set(8, 8, isDark(7))
        self.set(7, 8, isDark(8))
        for index in 9..<15 { self.set(14 - index, 8, isDark(index)) }
        for index in 0..<8 { self.set(self.size - 1 - index, 8, isDark(index)) }
        for index in 8..<15 { self.set(8, self.size - 15 + index, isDark(index)) }
        self.set(8, self.size - 8, true)
    }

    private mutating func drawVersion() {
        let version = self.layout.version
        guard version >= 7 else { return }
        let bits = version << 12 | Self.remainder(version, bits: 12, polynomial: 0x1F25)
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            self.set(self.size - 11 + index % 3, index / 3, isDark)
            self.set(index / 3, self.size - 11 + index % 3, isDark)
        }
    }

    private static func remainder(_ data: Int, bits: Int, polynomial: Int) -> Int {
        var remainder = data
        for _ in 0..<bits { remainder = remainder << 1 ^ (remainder >> (bits - 1)) * polynomial }
        return remainder
    }

    /// Draws the codewords in columns of two from right to left, alternately up and down, skipping the timing pattern.
    private mutating func draw(_ codewords: [UInt8]) {
        var index = 0
        var isUpward = true
        for right in stride(from: self.size - 1, through: 1, by: -2).map({ $0 <= 6 ? $0 - 1 : $0 }) {
            for step in 0..<self.size {
                let y = isUpward ? self.size - 1 - step : step
                for x in [right, right - 1] where !self.isPattern[y * self.size + x] && index < codewords.count * 8 {
                    self.modules[y * self.size + x] = codewords[index / 8] >> (7 - index % 8) & 1 == 1
                    index += 1
                }
            }
            isUpward.toggle()
        }
    }
}

extension QRCodeMatrix {
    /// A score for how hard the code is to read, by the standard's four rules.
    ///
    /// The mask with the lowest score is used.
    var penalty: Int {
        let size = Int(Double(self.modules.count).squareRoot())
        let rows = (0..<size).map { y in (0..<size).map { self.modules[y * size + $0] } }
        let columns = (0..<size).map { x in (0..<size).map { self.modules[$0 * size + x] } }
        let lines = (rows + columns).map { Self.runs($0) + Self.finders($0) }.reduce(0, +)
        return lines + Self.blocks(rows) + Self.imbalance(self.modules)
    }

    /// Returns the penalty for runs of five or more modules of the same color.
    private static func runs(_ line: [Bool]) -> Int {
        var penalty = 0
        var length = 1
        for index in 1...line.count {
            if index < line.count, line[index] == line[index - 1] {
                length += 1
            } else {
                if length >= 5 { penalty += length - 2 }
                length = 1
            }
        }
        return penalty
    }

    /// Returns the penalty for patterns that resemble a finder pattern next to four light modules.
    private static func finders(_ line: [Bool]) -> Int {
        let finder = [true, false, true, true, true, false, true]
        let light = [Bool](repeating: false, count: 4)
        return [finder + light, light + finder]
            .map { pattern in
                (0...line.count - pattern.count).count { line[$0..<$0 + pattern.count].elementsEqual(pattern) } * 40
            }
            .reduce(0, +)
    }

    /// Returns the penalty for blocks of 2 × 2 modules of the same color.
    private static func blocks(_ rows: [[Bool]]) -> Int {
        var count = 0
        for y in 1..<rows.count {
            for x in 1..<rows.count
            where rows[y][x] == rows[y][x - 1] && rows[y][x] == rows[y - 1][x] && rows[y][x] == rows[y - 1][x - 1] {
                count += 1
            }
        }
        return 3 * count
    }

    /// Returns the penalty for a proportion of dark modules that differs from 50 %, in steps of 5 %.
    private static func imbalance(_ modules: [Bool]) -> Int {
        let dark = modules.count { $0 }
        return abs(dark * 20 - modules.count * 10) / modules.count * 10
    }
}
