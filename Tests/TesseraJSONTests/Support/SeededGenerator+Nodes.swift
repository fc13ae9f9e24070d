// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TestTraits

extension SeededGenerator {
    /// Returns a value of random kind and contents.
    mutating func node(depth: Int) -> JSONNode {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &self) {
        case 0: return nil
        case 1: return .bool(Bool.random(using: &self))
        case 2: return .integer(Int64.random(in: .min ... .max, using: &self) >> Int64.random(in: 0...63, using: &self))
        case 3:
            let double = Double(bitPattern: self.next())
            return .double(double.isFinite ? double : 0.5)
        case 4: return .string(self.text())
        case 5, 6: return .array((0..<Int.random(in: 0...6, using: &self)).map { _ in self.node(depth: depth - 1) })
        default:
            var names: Set<[UInt8]> = []
            let count = Int.random(in: 0...40, using: &self) / (depth > 1 ? 8 : 1)
            return .object(
                (0..<count)
                    .compactMap { _ in
                        let name = self.text()
                        guard names.insert(Array(name.utf8)).inserted else { return nil }
                        return JSONMember(name: name, value: self.node(depth: depth - 1))
                    }
            )
        }
    }

    private mutating func text() -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...20, using: &self) {
            let range: ClosedRange<UInt32> =
                [0...0x1F, 0x20...0x7F, 0x20...0x7F, 0x80...0x7FF, 0x800...0xFFFF, 0x10000...0x10FFFF]
                .randomElement(using: &self) ?? 0...0
            text.unicodeScalars.append(Unicode.Scalar(UInt32.random(in: range, using: &self)) ?? "\u{FFFD}")
        }
        return text
    }
}
