// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension QRCodeMatrix {
    /// How hard the code is to read, by the four rules of the standard: the mask with the lowest sum is taken.
    var penalty: Int {
        let size = Int(Double(self.modules.count).squareRoot())
        let rows = (0..<size).map { y in (0..<size).map { self.modules[y * size + $0] } }
        let columns = (0..<size).map { x in (0..<size).map { self.modules[$0 * size + x] } }
        let lines = (rows + columns).map { Self.runs($0) + Self.finders($0) }.reduce(0, +)
        return lines + Self.blocks(rows) + Self.imbalance(self.modules)
    }

    /// Five and more of one colour in a row.
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

    /// What looks like a finder pattern beside four light modules.
    private static func finders(_ line: [Bool]) -> Int {
        let finder = [true, false, true, true, true, false, true]
        let light = [Bool](repeating: false, count: 4)
        return [finder + light, light + finder]
            .map { pattern in
                (0...line.count - pattern.count).count { line[$0..<$0 + pattern.count].elementsEqual(pattern) } * 40
            }
            .reduce(0, +)
    }

    /// Squares of two by two of one colour.
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

    /// How far the share of dark modules is from a half, in steps of a twentieth.
    private static func imbalance(_ modules: [Bool]) -> Int {
        let dark = modules.count { $0 }
        return abs(dark * 20 - modules.count * 10) / modules.count * 10
    }
}
