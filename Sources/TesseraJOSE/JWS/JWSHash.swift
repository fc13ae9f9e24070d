// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The hash functions that signature algorithms are made with.
enum JWSHash: Sendable {
    case sha256
    case sha384
    case sha512

    func digest(of bytes: [UInt8]) -> any Digest {
        switch self {
        case .sha256: SHA256.hash(data: bytes)
        case .sha384: SHA384.hash(data: bytes)
        case .sha512: SHA512.hash(data: bytes)
        }
    }
}
