// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// The system's random number generator as a function.
package enum SystemRandomBytes {
    package static let make: @Sendable (_ count: Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// Random text that consists of 43 base64url characters and encodes 32 random bytes.
///
/// It is used for `state`, `nonce` and the code verifier.
package enum RandomText {
    package static func make(_ randomBytes: (Int) -> [UInt8]) -> String { Base64URL.encode(randomBytes(32)) }
}
