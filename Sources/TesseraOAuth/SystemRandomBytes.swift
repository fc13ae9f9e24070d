// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Bytes from the system's random number generator.
package enum SystemRandomBytes {
    package static let make: @Sendable (_ count: Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
