// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// Bytes from the system's random number generator.
package enum SystemRandomBytes {
    package static let make: @Sendable (_ count: Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// Unguessable text: 32 random bytes, 43 base64url characters.
///
/// `state`, `nonce` and the code verifier are made here.
package enum RandomText {
    package static func make(_ randomBytes: (Int) -> [UInt8]) -> String { Base64URL.encode(randomBytes(32)) }
}
