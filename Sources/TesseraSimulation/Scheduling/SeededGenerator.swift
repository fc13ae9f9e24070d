// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A random number generator whose sequence depends only on its seed.
///
/// It is SplitMix64, which is predictable.
struct SeededGenerator: RandomNumberGenerator, Sendable, Hashable {
    private var state: UInt64

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - seed: The seed.
    ///   - stream: The number of the sequence. Different sequences with the same seed are independent.
    init(seed: UInt64, stream: UInt64 = 0) {
        self.state = Self.mixed(seed &+ stream &* 0xD1B5_4A32_D192_ED03)
    }

    /// Returns the next number in the sequence.
    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(self.state)
    }

    /// Returns a number from 0 up to, but not including, `bound`, which must be positive.
    mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: self.next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// Returns true with a probability in percent.
    mutating func chance(_ percent: Int) -> Bool { self.below(100) < percent }

    /// Returns a duration in nanoseconds from the range.
    mutating func time(_ range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + Int64(self.below(Int(range.upperBound - range.lowerBound + 1)))
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
