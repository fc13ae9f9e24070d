// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto

extension AES.GCM {
    /// What was sealed, from the ciphertext with its tag of 16 bytes behind it.
    static func open(
        _ sealed: ArraySlice<UInt8>,
        nonce: some Sequence<UInt8>,
        using key: SymmetricKey,
        authenticating associated: ArraySlice<UInt8>
    ) throws -> [UInt8] {
        let box = try AES.GCM.SealedBox(
            nonce: .init(data: Array(nonce)),
            ciphertext: sealed.dropLast(16),
            tag: sealed.suffix(16)
        )
        return Array(try AES.GCM.open(box, using: key, authenticating: associated))
    }
}
