// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Why a signing key could not be made.
///
/// It holds nothing of the key.
///
/// - SeeAlso: [RFC 7518, section 3.1](https://www.rfc-editor.org/rfc/rfc7518.html#section-3.1)
public struct JWSSigningKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, in a sentence.
    public let description: String

    /// The algorithm is not one of ``JWSAlgorithm/supported``, or the key is not for it.
    public static let unsupportedAlgorithm = Self(description: "The key and the signature algorithm do not fit.")
    /// The text is no PEM of a private key (PKCS #8, unencrypted) of a supported type, or the RSA key is too small.
    public static let invalidPEM = Self(description: "The text holds no supported private key in PEM.")

    /// Whether the error is this one.
    public static func ~= (pattern: Self, error: any Error) -> Bool { (error as? Self) == pattern }
}
