// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraTesting

/// Random damage to a file, which depends on a seed only.
struct Damage {
    private let random: SeededRandomBytes

    init(seed: UInt64) { self.random = SeededRandomBytes(seed: seed) }

    private func number(below limit: Int) -> Int {
        let bits = self.random.next(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(bits % UInt64(max(limit, 1)))
    }

    /// The bytes after one to four accidents: cut, with bits turned, with bytes overwritten by extremes, doubled, left
    /// out, exchanged or brought in from elsewhere.
    func done(to whole: [UInt8]) -> [UInt8] {
        var bytes = whole
        for _ in 0...self.number(below: 4) where !bytes.isEmpty {
            let place = self.number(below: bytes.count)
            let end = min(bytes.count, place + 1 + self.number(below: 40))
            switch self.number(below: 9) {
            case 0: bytes = Array(bytes[..<place])
            case 1: bytes = Array(bytes[place...])
            case 2: bytes[place] ^= 1 << UInt8(self.number(below: 8))
            case 3: for index in place..<end { bytes[index] = [0x00, 0xFF, 0x7F, 0x80][self.number(below: 4)] }
            case 4: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 5: bytes.removeSubrange(place..<end)
            case 6: bytes.swapAt(place, self.number(below: bytes.count))
            case 7: bytes.insert(contentsOf: self.random.next(end - place), at: place)
            // The end of a binary list says how many objects there are, and where.
            default: bytes[bytes.count - 1 - self.number(below: min(32, bytes.count))] = self.random.next(1)[0]
            }
        }
        return bytes
    }
}
