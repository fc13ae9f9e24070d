// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import TesseraSupport

/// The name of a signature algorithm (`alg`).
///
/// Providers list many names in their metadata, but only the ``supported`` algorithms are used for verification. They
/// do not include `none` or HMAC. If HMAC were allowed, anyone who knows the public key could forge a signature.
///
/// - SeeAlso: [RFC 7518, section 3.1](https://www.rfc-editor.org/rfc/rfc7518.html#section-3.1)
public struct JWSAlgorithm: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name of the algorithm.
    public let rawValue: String
    /// Creates an algorithm from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates an algorithm from a string literal.
    public init(stringLiteral value: String) { self.rawValue = value }
    /// The name of the algorithm.
    public var description: String { self.rawValue }

    /// RSASSA-PKCS1-v1_5 with SHA-256.
    public static let rs256: Self = "RS256"
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    public static let rs384: Self = "RS384"
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    public static let rs512: Self = "RS512"
    /// RSASSA-PSS with SHA-256.
    public static let ps256: Self = "PS256"
    /// RSASSA-PSS with SHA-384.
    public static let ps384: Self = "PS384"
    /// RSASSA-PSS with SHA-512.
    public static let ps512: Self = "PS512"
    /// ECDSA on P-256 with SHA-256.
    public static let es256: Self = "ES256"
    /// ECDSA on P-384 with SHA-384.
    public static let es384: Self = "ES384"
    /// ECDSA on P-521 with SHA-512.
    public static let es512: Self = "ES512"
    /// EdDSA with the key's curve.
    ///
    /// Only Ed25519 is supported.
    ///
    /// - SeeAlso: [RFC 8037, section 3.1](https://www.rfc-editor.org/rfc/rfc8037.html#section-3.1)
    public static let edDSA: Self = "EdDSA"
    /// EdDSA on Ed25519, as a fully specified algorithm.
    ///
    /// - SeeAlso: [RFC 9864, section 2.2](https://www.rfc-editor.org/rfc/rfc9864.html#section-2.2)
    public static let ed25519: Self = "Ed25519"

    /// The algorithms that can verify signatures, in no particular order.
    public static let supported: [Self] = [
        .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .es512, .edDSA, .ed25519,
    ]

    /// The required key type (`kty`), or nil if the algorithm is not supported.
    var keyType: String? {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "RSA"
        case .es256, .es384, .es512: "EC"
        case .edDSA, .ed25519: "OKP"
        default: nil
        }
    }

    /// The required curve (`crv`), or nil for RSA.
    var curve: String? {
        switch self {
        case .es256: "P-256"
        case .es384: "P-384"
        case .es512: "P-521"
        case .edDSA, .ed25519: "Ed25519"
        default: nil
        }
    }

    /// The algorithm's hash function, which for Ed25519 is the one that it uses internally.
    var hash: JWSHash? {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .edDSA, .ed25519: .sha512
        default: nil
        }
    }

    var isPSS: Bool { self == .ps256 || self == .ps384 || self == .ps512 }
}

/// The hash functions that signature algorithms use.
enum JWSHash: Sendable {
    case sha256
    case sha384
    case sha512

    func digest(of bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        switch self {
        case .sha256: Self.bytes(of: SHA256.hash(data: bytes))
        case .sha384: Self.bytes(of: SHA384.hash(data: bytes))
        case .sha512: Self.bytes(of: SHA512.hash(data: bytes))
        }
    }

    private static func bytes(of digest: some Digest) -> [UInt8] { digest.withUnsafeBytes { [UInt8]($0) } }
}
