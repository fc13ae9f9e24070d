// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension JWSAlgorithm {
    /// The type of key, `kty`, that the algorithm needs; nil when it is not supported.
    var keyType: String? {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "RSA"
        case .es256, .es384, .es512: "EC"
        case .edDSA, .ed25519: "OKP"
        default: nil
        }
    }

    /// The curve that the algorithm needs; nil for RSA.
    var curve: String? {
        switch self {
        case .es256: "P-256"
        case .es384: "P-384"
        case .es512: "P-521"
        case .edDSA, .ed25519: "Ed25519"
        default: nil
        }
    }

    /// The hash that the algorithm uses; for Ed25519 the one inside it.
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
