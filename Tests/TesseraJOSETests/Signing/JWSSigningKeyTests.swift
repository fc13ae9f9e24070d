// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

@Suite("Signing keys")
struct JWSSigningKeyTests {
    @Test("The public key verifies a signature of each algorithm", arguments: JWSAlgorithm.supported)
    func roundTrip(_ algorithm: JWSAlgorithm) throws {
        let key = try JWSSigningKey.generate(algorithm)
        let jws = try CompactJWS(parsing: key.sign(payload: Array(#"{"sub":"1"}"#.utf8), type: "JWT"))
        let published = try JWK(parsing: JSONValue(parsing: key.publicJWK.text()))
        try jws.verify(with: published)
        #expect(jws.header.algorithm == algorithm)
        #expect(jws.header.type == "JWT")
        #expect(jws.header.keyID == published.thumbprint)
        #expect(published.keyID == published.thumbprint)
        #expect(published.use == "sig")
        #expect(published.algorithm == algorithm)
    }

    @Test("Restores a key from its PEM text", arguments: JWSAlgorithm.supported)
    func pem(_ algorithm: JWSAlgorithm) throws {
        let key = try JWSSigningKey.generate(algorithm)
        let read = try JWSSigningKey(pem: key.pemRepresentation, algorithm: algorithm)
        #expect(key.pemRepresentation.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        #expect(read.thumbprint == key.thumbprint)
        #expect(read.publicJWK == key.publicJWK)
    }

    @Test("Reads the Ed25519 key of RFC 8410, section 10.3, from PEM")
    func pemExample() throws {
        let key = try JWSSigningKey(
            pem: """
                -----BEGIN PRIVATE KEY-----
                MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
                -----END PRIVATE KEY-----
                """
        )
        #expect(key.algorithm == .edDSA)
        let published = try JSONValue(parsing: key.publicJWK.text())
        #expect(published["x"]?.string == "Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE")
    }

    @Test(
        "Rejects a PEM key for an algorithm that does not match it",
        arguments: [.es384, .rs256, .edDSA, "HS256"] as [JWSAlgorithm]
    )
    func mismatch(algorithm: JWSAlgorithm) throws {
        let pem = try JWSSigningKey.generate(.es256).pemRepresentation
        #expect(throws: JWSSigningKeyError.unsupportedAlgorithm) {
            try JWSSigningKey(pem: pem, algorithm: algorithm)
        }
    }

    @Test("Generates no key for an algorithm without key pairs", arguments: ["HS256", "none"] as [JWSAlgorithm])
    func generationMismatch(algorithm: JWSAlgorithm) {
        #expect(throws: JWSSigningKeyError.unsupportedAlgorithm) { try JWSSigningKey.generate(algorithm) }
    }

    static let otherTexts = [
        "", "x", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----",
    ]

    @Test("Rejects text that is not a private key in PEM form", arguments: Self.otherTexts)
    func notPEM(_ text: String) {
        #expect(throws: JWSSigningKeyError.invalidPEM) { try JWSSigningKey(pem: text) }
    }

    @Test("Adds and replaces header members, and can omit the key ID")
    func header() throws {
        var key = try JWSSigningKey.generate(.es256)
        key.keyID = nil
        let token = try key.sign(
            payload: [],
            type: "JWT",
            header: [JSONMember(name: "typ", value: "at+jwt"), JSONMember(name: "jwk", value: key.barePublicJWK)]
        )
        let header = try CompactJWS(parsing: token).header
        #expect(header.keyID == nil)
        #expect(header.type == "at+jwt")
        #expect(header.fields["jwk"]?["kty"]?.string == "EC")
        #expect(header.fields["jwk"]?["kid"] == nil)
    }

    @Test("Signs with an arbitrary header text")
    func hostileHeader() throws {
        let token = try JWSSigningKey.generate(.es256).sign(payload: [], headerText: #"{"alg":"ES256","alg":"none"}"#)
        #expect(token.hasPrefix(Base64URL.encode(#"{"alg":"ES256","alg":"none"}"#.utf8) + "."))
    }

    @Test("The description of a signing key does not contain the private key", .covers(124))
    func description() throws {
        let key = try JWSSigningKey.generate(.es256)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(text.contains("signing key ES256 \(key.thumbprint)"))
            #expect(!text.contains("P256"))
        }
    }
}
