// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import TesseraSupport

/// The hash functions that signature algorithms are made with.
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
