// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

/// ID tokens like Google's, with their key set and the expected claims.
struct SignedTokens: Sendable {
    static let issuer = "https://accounts.google.com"
    static let clientID = "471107118182-9akd0j4ns1k3mm8a9gk6rvr3gqq5ud3k.apps.googleusercontent.com"
    static let nonce = "qV0z3uT9Jg1mR4xkC8wYb2fLh6sPaNeD"
    private static let accessToken = "ya29." + String(repeating: "benchmark-", count: 20)

    let algorithm: JWSAlgorithm
    let texts: [String]
    /// The provider's key set with two keys, the second of which signs the tokens.
    let keySet: [UInt8]
    /// The signing key as PEM.
    let signingKey: String

    /// Creates tokens for different users, enough of them to prevent caching effects.
    init(_ algorithm: JWSAlgorithm, count: Int = 64) throws {
        let keys = [try JWSSigningKey.generate(algorithm), try JWSSigningKey.generate(algorithm)]
        let now = Int64(Date().timeIntervalSince1970)
        self.algorithm = algorithm
        self.signingKey = keys[1].pemRepresentation
        self.keySet = JSONNode.object([JSONMember(name: "keys", value: .array(keys.map(\.publicJWK)))]).serialized()
        self.texts = try (0..<count)
            .map { number in
                let payload: JSONNode = [
                    "iss": .string(Self.issuer),
                    "azp": .string(Self.clientID),
                    "aud": .string(Self.clientID),
                    "sub": .string("10769150350006150\(1_000 + number)"),
                    "hd": "example.com",
                    "email": .string("user.\(number)@example.com"),
                    "email_verified": true,
                    "at_hash": .string(TokenHash.compute(of: Self.accessToken, algorithm: algorithm) ?? ""),
                    "nonce": .string(Self.nonce),
                    "name": .string("Ada Lovelace \(number)"),
                    "picture": .string("https://lh3.googleusercontent.com/a/ACg8ocK\(number)Zx0Vb1nM2q=s96-c"),
                    "given_name": "Ada",
                    "family_name": .string("Lovelace \(number)"),
                    "iat": .integer(now),
                    "exp": .integer(now + 3_600),
                ]
                return try keys[1].sign(payload: payload.serialized(), type: "JWT")
            }
    }

    /// Creates a policy with all rules of the standard, including the nonce and the hash of the access token.
    func policy() throws -> IDTokenPolicy {
        IDTokenPolicy(
            issuer: try Issuer(Self.issuer),
            clientID: Self.clientID,
            algorithms: [self.algorithm],
            nonce: .equal(Secret(Self.nonce)),
            accessToken: Secret(Self.accessToken)
        )
    }
}
