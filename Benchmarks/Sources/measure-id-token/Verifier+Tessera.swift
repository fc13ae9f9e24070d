// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJOSE
internal import TesseraOAuth

extension Verifier {
    /// The whole of it: taking apart, JSON, signature, every rule of the policy.
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
