// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

extension JWSSigningKey {
    /// Returns a token of this key with one bit of its signature changed.
    func signIncorrectly(_ payload: [UInt8]) throws -> String {
        let token = try self.sign(payload: payload, type: "JWT")
        let location = token.lastIndex(of: ".") ?? token.startIndex
        var signature = Base64URL.decode(String(token[token.index(after: location)...])) ?? []
        signature[signature.count / 2] ^= 1
        return token[...location] + Base64URL.encode(signature)
    }
}
