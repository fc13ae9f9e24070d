// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJOSE
internal import TesseraOAuth

extension Verifier {
    /// Creates a verifier that uses Tessera to parse a token and check its signature and all rules of the policy.
    static func tessera(_ tokens: SignedTokens) throws -> Verifier {
        let keys = try JWKSet(parsing: tokens.keySet)
        let policy = try tokens.policy()
        let secrets = tokens.texts.map { Secret($0) }
        return Verifier(name: "tessera") { number in
            let token = try policy.validate(secrets[number % secrets.count], keys: keys, now: Date())
            withExtendedLifetime(token) {}
        }
    }
}
