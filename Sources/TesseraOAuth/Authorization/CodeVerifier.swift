// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import TesseraJOSE

/// The secret of one authorization request, and the challenge that goes to the provider.
///
/// `S256` is the only method.
///
/// - SeeAlso: [RFC 7636, section 4](https://www.rfc-editor.org/rfc/rfc7636.html#section-4)
package struct CodeVerifier: Sendable, Hashable {
    /// `code_verifier`: 43 unreserved characters.
    package let secret: Secret

    /// A verifier of 32 random bytes.
    package init(randomBytes: (Int) -> [UInt8]) {
        self.secret = Secret(RandomText.make(randomBytes))
    }

    /// A verifier that was made elsewhere.
    package init(_ secret: Secret) { self.secret = secret }

    /// `code_challenge`: the base64url text of the verifier's SHA-256.
    package var codeChallenge: String {
        self.secret.withUnredacted { Base64URL.encode(Array(SHA256.hash(data: Array($0.utf8)))) }
    }
}
