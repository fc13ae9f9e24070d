// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

extension JWSSigningKey {
    /// A token of this key with one bit of the signature changed.
    func signWrongly(_ payload: [UInt8]) throws -> String {
        let token = try self.sign(payload: payload, type: "JWT")
        let place = token.lastIndex(of: ".") ?? token.startIndex
        var signature = Base64URL.decode(String(token[token.index(after: place)...])) ?? []
        signature[signature.count / 2] ^= 1
        return token[...place] + Base64URL.encode(signature)
    }
}
