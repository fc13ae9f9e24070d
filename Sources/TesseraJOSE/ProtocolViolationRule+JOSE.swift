// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension ProtocolViolationError.Rule {
    /// A signed token has three parts in canonical base64url, and its header is a JSON object.
    public static let jwsFormat = Self(rawValue: "jws.format")
    /// The signature algorithm is one that is verified here, and fits the key; `none` never does.
    public static let jwsAlgorithm = Self(rawValue: "jws.algorithm")
    /// A header names no extension that must be understood.
    public static let jwsCritical = Self(rawValue: "jws.critical")
    /// The signature is the key's.
    public static let jwsSignature = Self(rawValue: "jws.signature")
    /// The token is signed and not encrypted, where nothing was given that decrypts.
    public static let jweUnsupported = Self(rawValue: "jwe.unsupported")
    /// An encrypted token is for this client's key.
    public static let jweDecryption = Self(rawValue: "jwe.decryption")
    /// The payload of a token is a JSON object without two members of one name.
    public static let jwtClaims = Self(rawValue: "jwt.claims")
    /// A key has the members of its type, and they make a usable key.
    public static let jwkFormat = Self(rawValue: "jwk.format")
    /// A key set is a JSON object whose `keys` is an array of bounded length.
    public static let jwkSetFormat = Self(rawValue: "jwks.format")
}
