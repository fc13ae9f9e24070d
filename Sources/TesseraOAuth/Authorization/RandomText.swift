// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// Unguessable text: 32 random bytes, 43 base64url characters.
///
/// `state`, `nonce` and the code verifier are made here.
package enum RandomText {
    package static func make(_ randomBytes: (Int) -> [UInt8]) -> String { Base64URL.encode(randomBytes(32)) }
}
