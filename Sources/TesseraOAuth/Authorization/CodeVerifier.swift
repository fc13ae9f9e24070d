// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import TesseraJOSE

/// A PKCE code verifier, a secret that belongs to one authorization request.
///
/// The challenge method is always `S256`.
///
/// - SeeAlso: [RFC 7636, section 4](https://www.rfc-editor.org/rfc/rfc7636.html#section-4)
package struct CodeVerifier: Sendable, Hashable {
    /// The verifier (`code_verifier`), which consists of 43 unreserved characters.
    package let secret: Secret

    /// Creates a verifier from 32 random bytes.
    package init(randomBytes: (Int) -> [UInt8]) {
        self.secret = Secret(RandomText.make(randomBytes))
    }

    /// Creates a verifier from an existing secret.
    package init(_ secret: Secret) { self.secret = secret }

    /// The challenge (`code_challenge`), which is the base64url-encoded SHA-256 hash of the verifier.
    package var codeChallenge: String {
        self.secret.withUnredacted { Base64URL.encode(Array(SHA256.hash(data: Array($0.utf8)))) }
    }
}
