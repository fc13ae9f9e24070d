// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraTesting

/// Random damage to a file, determined by a seed.
struct Damage {
    private let random: SeededRandomBytes

    init(seed: UInt64) { self.random = SeededRandomBytes(seed: seed) }

    private func number(below limit: Int) -> Int {
        let bits = self.random.next(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(bits % UInt64(max(limit, 1)))
    }

    /// Returns the bytes after one to four random changes.
    ///
    /// A change truncates the bytes, flips a bit, or overwrites, repeats, removes, swaps or inserts bytes.
    func applied(to original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0...self.number(below: 4) where !bytes.isEmpty {
            let location = self.number(below: bytes.count)
            let end = min(bytes.count, location + 1 + self.number(below: 40))
            switch self.number(below: 9) {
            case 0: bytes = Array(bytes[..<location])
            case 1: bytes = Array(bytes[location...])
            case 2: bytes[location] ^= 1 << UInt8(self.number(below: 8))
            case 3: for index in location..<end { bytes[index] = [0x00, 0xFF, 0x7F, 0x80][self.number(below: 4)] }
            case 4: bytes.insert(contentsOf: bytes[location..<end], at: location)
            case 5: bytes.removeSubrange(location..<end)
            case 6: bytes.swapAt(location, self.number(below: bytes.count))
            case 7: bytes.insert(contentsOf: self.random.next(end - location), at: location)
            // The end of a binary property list contains the number and location of its objects.
            default: bytes[bytes.count - 1 - self.number(below: min(32, bytes.count))] = self.random.next(1)[0]
            }
        }
        return bytes
    }
}
