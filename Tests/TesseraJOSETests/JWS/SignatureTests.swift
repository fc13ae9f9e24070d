// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import Foundation
internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

@Suite("Signature verification")
struct SignatureTests {
    private static func replacing(_ token: String, signature: [UInt8]) -> String {
        token.prefix(through: token.lastIndex(of: ".") ?? token.startIndex) + Base64URL.encode(signature)
    }

    private static func expectRefused(_ token: String, by key: JWK, _ rule: ProtocolViolationError.Rule) throws {
        let jws = try CompactJWS(parsing: token)
        let error = #expect(throws: ProtocolViolationError.self) { try jws.verify(with: key) }
        #expect(error?.rule == rule)
    }

    @Test("Verifies tokens signed by other implementations", arguments: SignatureVector.all)
    func vector(_ vector: SignatureVector) throws {
        try CompactJWS(parsing: vector.token).verify(with: vector.jwk())
    }

    @Test("Rejects a token with one changed bit", .covers(85), arguments: SignatureVector.all)
    func tampered(_ vector: SignatureVector) throws {
        let key = try vector.jwk()
        let jws = try CompactJWS(parsing: vector.token)
        for location in [0, jws.signature.count / 2, jws.signature.count - 1] {
            var signature = jws.signature
            signature[location] ^= 1
            try Self.expectRefused(Self.replacing(vector.token, signature: signature), by: key, .jwsSignature)
        }
        let parts = vector.token.split(separator: ".")
        let payload = Base64URL.encode(jws.payload.dropLast() + [jws.payload.last.map { $0 ^ 1 } ?? 0])
        try Self.expectRefused("\(parts[0]).\(payload).\(parts[2])", by: key, .jwsSignature)
    }

    @Test("Rejects a signature of another length", .covers(85), arguments: SignatureVector.all)
    func length(_ vector: SignatureVector) throws {
        let key = try vector.jwk()
        let signature = try CompactJWS(parsing: vector.token).signature
        let shorter = [Array(signature.dropLast()), Array(signature.dropFirst())]
        for other in shorter + [[], [0], [0] + signature, signature + [0]] {
            try Self.expectRefused(Self.replacing(vector.token, signature: other), by: key, .jwsSignature)
        }
    }

    @Test("Rejects an ECDSA signature in DER form", .covers(85))
    func der() throws {
        let privateKey = P256.Signing.PrivateKey()
        let signer = try JWSSigningKey(pem: privateKey.pemRepresentation)
        let key = try JWK(parsing: JSONValue(parsing: signer.publicJWK.text()))
        let token = try signer.sign(payload: [])
        let input = try CompactJWS(parsing: token).signingInput
        let signature = try privateKey.signature(for: SHA256.hash(data: input))
        try CompactJWS(parsing: Self.replacing(token, signature: Array(signature.rawRepresentation))).verify(with: key)
        try Self.expectRefused(
            Self.replacing(token, signature: Array(signature.derRepresentation)),
            by: key,
            .jwsSignature
        )
    }

    @Test(
        "Rejects an ECDSA signature with r or s equal to zero",
        .covers(85),
        arguments: [SignatureVector.rfc7515A3, .es384, .rfc7515A4]
    )
    func zero(_ vector: SignatureVector) throws {
        let key = try vector.jwk()
        let signature = try CompactJWS(parsing: vector.token).signature
        let zeros = Array(repeating: 0 as UInt8, count: signature.count / 2)
        let (r, s) = (signature.prefix(zeros.count), signature.suffix(zeros.count))
        for other in [zeros + zeros, zeros + s, r + zeros] {
            try Self.expectRefused(Self.replacing(vector.token, signature: Array(other)), by: key, .jwsSignature)
        }
    }

    @Test(
        "Rejects a token signed by another key",
        .covers(85),
        arguments: [JWSAlgorithm.rs256, .es256, .es384, .es512, .edDSA]
    )
    func otherKey(_ algorithm: JWSAlgorithm) throws {
        let (signer, other) = (try JWSSigningKey.generate(algorithm), try JWSSigningKey.generate(algorithm))
        let key = try JWK(parsing: JSONValue(parsing: other.publicJWK.text()))
        try Self.expectRefused(try signer.sign(payload: Array("{}".utf8)), by: key, .jwsSignature)
    }

    @Test("Rejects an HMAC computed with the public key", .covers(83), arguments: ["HS256", "HS384", "HS512"])
    func keyConfusion(_ algorithm: String) throws {
        let signer = try JWSSigningKey.generate(.es256)
        let bare = signer.barePublicJWK.text()
        for secret in [bare, "", try JWSSigningKey.generate(.rs256).publicJWK.text()] {
            let input = Base64URL.encode(#"{"alg":"\#(algorithm)"}"#.utf8) + ".e30"
            let code = HMAC<SHA256>
                .authenticationCode(
                    for: Array(input.utf8),
                    using: SymmetricKey(data: Array(secret.utf8))
                )
            let token = input + "." + Base64URL.encode(Array(code))
            try Self.expectRefused(token, by: try JWK(parsing: JSONValue(parsing: bare)), .jwsAlgorithm)
            try Self.expectRefused(token, by: try SignatureVector.ps256.jwk(), .jwsAlgorithm)
        }
    }

    @Test("Rejects an algorithm that does not match the type of the key", .covers(83, 85))
    func wrongAlgorithm() throws {
        for vector in SignatureVector.all {
            let key = try vector.jwk()
            for other in SignatureVector.all where try other.jwk().keyType != key.keyType {
                try Self.expectRefused(other.token, by: key, .jwsAlgorithm)
            }
        }
        try Self.expectRefused(SignatureVector.es384.token, by: SignatureVector.rfc7515A3.jwk(), .jwsAlgorithm)
        try Self.expectRefused(SignatureVector.rfc7515A3.token, by: SignatureVector.rfc7515A4.jwk(), .jwsAlgorithm)
    }

    @Test(
        "Rejects an unknown algorithm",
        arguments: ["", "rs256", "RS1", "ES256K", "Ed448", "HS256", "RSA-OAEP", " RS256"]
    )
    func unknown(_ algorithm: String) throws {
        let token = try JWSSigningKey.generate(.es256)
            .sign(payload: [], header: [JSONMember(name: "alg", value: .string(algorithm))])
        for vector in SignatureVector.all { try Self.expectRefused(token, by: vector.jwk(), .jwsAlgorithm) }
    }

    @Test("Verifies with the only matching key of a set and an algorithm that the caller accepts")
    func keySet() throws {
        var (signer, other) = (try JWSSigningKey.generate(.es256), try JWSSigningKey.generate(.es256))
        (signer.keyID, other.keyID) = (nil, nil)
        let keys = try [signer, other].map { try JWK(parsing: $0.publicJWK.serialized()) }
        let jws = try CompactJWS(parsing: signer.sign(payload: []))
        #expect(try jws.verify(with: JWKSet(keys: [keys[0]]), algorithms: [.es256, .rs256]) == keys[0])
        for (set, algorithms, rule) in [
            ([keys[0]], [.rs256], .jwsAlgorithm), ([keys[0]], [], .jwsAlgorithm), ([], [.es256], .jwsSignature),
            ([keys[1]], [.es256], .jwsSignature), (keys, [.es256], .jwsSignature),
        ] as [([JWK], Set<JWSAlgorithm>, ProtocolViolationError.Rule)] {
            let error = #expect(throws: ProtocolViolationError.self) {
                try jws.verify(with: JWKSet(keys: set), algorithms: algorithms)
            }
            #expect(error?.rule == rule)
        }
    }

    @Test("Ignores keys and URLs in a JWS header", .covers(88))
    func embedded() throws {
        let (attacker, provider) = (try JWSSigningKey.generate(.es256), try JWSSigningKey.generate(.es256))
        let token = try attacker.sign(
            payload: [],
            header: [
                JSONMember(name: "jwk", value: attacker.publicJWK),
                JSONMember(name: "jku", value: "https://evil.example/keys"),
                JSONMember(name: "x5u", value: "https://evil.example/chain"),
                JSONMember(name: "kid", value: .string(provider.thumbprint)),
            ]
        )
        let set = try JWKSet(
            parsing: JSONNode.object([JSONMember(name: "keys", value: [provider.publicJWK])]).serialized()
        )
        let candidates = set.candidates(for: try CompactJWS(parsing: token).header)
        #expect(candidates.map(\.thumbprint) == [provider.thumbprint])
        for key in candidates { try Self.expectRefused(token, by: key, .jwsSignature) }
    }
}
