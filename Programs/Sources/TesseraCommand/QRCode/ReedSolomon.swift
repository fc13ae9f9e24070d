// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Error correction over the field of 256 elements with the polynomial 0x11D.
enum ReedSolomon {
    /// The divisor for so many codewords of correction: the product of (x − 2ⁱ), without its leading 1.
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

    /// What is left of the data divided by the divisor: the codewords of correction.
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
