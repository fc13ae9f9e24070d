// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

/// Tests of the examples in the standards, in addition to the tokens of ``SignatureVector`` in `SignatureTests`.
///
/// The ECDH-ES example of RFC 7518, appendix C, has no test because this library does not encrypt.
@Suite("Published test vectors")
struct PublishedVectorTests {
    private static func object(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

    private static func member(_ name: String, of text: String) throws -> String {
        try #require(try Self.object(text)[name]?.string)
    }

    private static func bytes(_ name: String, of text: String) throws -> [UInt8] {
        try #require(Base64URL.decode(try Self.member(name, of: text)))
    }

    private static func refusal(_ text: String) -> ProtocolViolationError.Rule? {
        #expect(throws: ProtocolViolationError.self) { try CompactJWS(parsing: text) }?.rule
    }

    // MARK: RFC 7515

    @Test("RFC 7515, appendix A.1: signs and recognizes the HS256 example")
    func macExample() throws {
        let key = JWSMACKey(secret: try #require(Base64URL.decode(RFC7515.a1Key)))
        let token = key.sign(payload: Array(RFC7515.claims.utf8), headerText: RFC7515.a1Header)
        #expect(token == RFC7515.a1)
        #expect(key.isSigner(of: try CompactJWS(parsing: token)))
        #expect(key.isLongEnough)
    }

    @Test(
        "RFC 7515, appendix A.1: no public key verifies the HS256 example",
        .covers(83),
        arguments: SignatureVector.all
    )
    func macIsNoSignature(vector: SignatureVector) throws {
        let jws = try CompactJWS(parsing: RFC7515.a1)
        let error = #expect(throws: ProtocolViolationError.self) { try jws.verify(with: vector.jwk()) }
        #expect(error?.rule == .jwsAlgorithm)
    }

    @Test(
        "RFC 7515, appendices A.2 and A.3: parses the printed claims",
        arguments: [SignatureVector.rfc7515A2, .rfc7515A3]
    )
    func claims(vector: SignatureVector) throws {
        let jws = try CompactJWS(parsing: vector.token)
        #expect(jws.payload == Array(RFC7515.claims.utf8))
        #expect(try jws.claims()["iss"]?.string == "joe")
    }

    @Test("RFC 7515, appendix A.4: parses the printed payload")
    func payload() throws {
        #expect(try CompactJWS(parsing: SignatureVector.rfc7515A4.token).payload == Array("Payload".utf8))
    }

    @Test("RFC 7515, appendix A.5: rejects an unsecured token", .covers(82))
    func unsecured() {
        #expect(Self.refusal(RFC7515.a5) == .jwsAlgorithm)
    }

    @Test("RFC 7515, appendices A.6 and A.7: rejects JSON serializations", arguments: [RFC7515.a6, RFC7515.a7])
    func json(_ text: String) {
        #expect(Self.refusal(text) == .jwsFormat)
    }

    @Test("RFC 7515, appendix C: encodes base64url without padding")
    func base64URL() {
        #expect(Base64URL.encode(RFC7515.c.bytes) == RFC7515.c.text)
        #expect(Base64URL.decode(RFC7515.c.text) == RFC7515.c.bytes)
    }

    @Test("RFC 7515, appendix E: rejects an unknown critical extension", .covers(88))
    func critical() {
        #expect(Self.refusal(RFC7515.e) == .jwsCritical)
    }

    // MARK: RFC 7517

    @Test("RFC 7517, appendix A.1: parses public keys and their parameters")
    func publicKeys() throws {
        let set = try JWKSet(parsing: Array(RFC7517.a1.utf8))
        #expect(set.ignoredCount == 0)
        #expect(set.keys.map(\.keyID) == ["1", "2011-04-29"])
        #expect(set.keys.map(\.keyType) == ["EC", "RSA"])
        #expect(set.keys.map(\.use) == ["enc", nil])
        #expect(set.keys.map(\.algorithm) == [nil, .rs256])
        #expect(set.keys.map { $0.canVerify(.es256) } == [false, false])
        #expect(set.keys.map { $0.canVerify(.rs256) } == [false, true])
        // This is the RSA key of RFC 7638, section 3.1.
        #expect(set.keys[1].thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    }

    @Test("RFC 7517, appendix A.2: retains only the public part of private keys")
    func privateKeys() throws {
        let set = try JWKSet(parsing: Array(RFC7517.a2.utf8))
        #expect(set == (try JWKSet(parsing: Array(RFC7517.a1.utf8))))
        var shown = String(reflecting: set)
        dump(set, to: &shown)
        let keys = try #require(try Self.object(RFC7517.a2)["keys"]?.elements)
        let hidden = keys.flatMap { key in RFC7517.privateMembers.compactMap { key[$0]?.string } }
        #expect(hidden.count == 7)
        for text in hidden { #expect(!shown.contains(text)) }
    }

    @Test("RFC 7517, appendix A.3: ignores and counts symmetric keys", .covers(83))
    func symmetricKeys() throws {
        let set = try JWKSet(parsing: Array(RFC7517.a3.utf8))
        #expect(set.keys.isEmpty)
        #expect(set.ignoredCount == 2)
    }

    @Test("RFC 7517, appendix B: ignores the certificate of a key", .covers(88))
    func certificate() throws {
        let key = try JWK(parsing: Self.object(RFC7517.b))
        let (modulus, exponent) = (try Self.member("n", of: RFC7517.b), try Self.member("e", of: RFC7517.b))
        let bare = #"{"kty":"RSA","use":"sig","kid":"1b94c","n":"\#(modulus)","e":"\#(exponent)"}"#
        #expect(key == (try JWK(parsing: Self.object(bare))))
    }

    // MARK: RFC 7520

    @Test("RFC 7520, section 3: parses private keys as public ones and rejects symmetric ones")
    func cookbookKeys() throws {
        let elliptic = try JWK(parsing: Self.object(RFC7520.ecPrivateKey))
        #expect(elliptic == (try SignatureVector.rfc7520Section4Part3.jwk()))
        let rsa = try JWK(parsing: Self.object(RFC7520.rsaPrivateKey))
        #expect(rsa == (try SignatureVector.rfc7520Section4Part1.jwk()))
        for text in [RFC7520.macKey, RFC7520.encryptionKey] {
            let error = #expect(throws: ProtocolViolationError.self) { try JWK(parsing: Self.object(text)) }
            #expect(error?.rule == .jwkFormat)
        }
    }

    @Test("RFC 7520, section 4.1: signs the printed token with the key of section 3.4")
    func cookbookSignature() throws {
        let numbers = try ["n", "e", "d", "p", "q"].map { try Self.bytes($0, of: RFC7520.rsaPrivateKey) }
        let key = try _RSA.Signing.PrivateKey(
            n: numbers[0],
            e: numbers[1],
            d: numbers[2],
            p: numbers[3],
            q: numbers[4]
        )
        let signer = try JWSSigningKey(pem: key.pemRepresentation)
        let payload = try #require(Base64URL.decode(RFC7520.payload))
        let header = #"{"alg":"RS256","kid":"bilbo.baggins@hobbiton.example"}"#
        let token = try signer.sign(payload: payload, headerText: header)
        #expect(token == SignatureVector.rfc7520Section4Part1.token)
        #expect(String(decoding: payload, as: UTF8.self).hasPrefix("It’s a dangerous business, Frodo,"))
    }

    @Test("RFC 7520, section 4.4: signs the printed token with HMAC")
    func cookbookMAC() throws {
        var key = JWSMACKey(secret: try Self.bytes("k", of: RFC7520.macKey))
        key.keyID = try Self.member("kid", of: RFC7520.macKey)
        #expect(key.sign(payload: try #require(Base64URL.decode(RFC7520.payload))) == RFC7520.hmac)
    }

    @Test("RFC 7520, section 4.5: rejects a token with detached content")
    func detached() throws {
        let key = JWSMACKey(secret: try Self.bytes("k", of: RFC7520.macKey))
        let jws = try CompactJWS(parsing: RFC7520.detached)
        #expect(jws.payload.isEmpty)
        #expect(!key.isSigner(of: jws))
    }

    @Test("RFC 7520, sections 4.5 to 4.8: rejects JSON serializations", arguments: RFC7520.json)
    func cookbookJSON(_ text: String) {
        #expect(Self.refusal(text) == .jwsFormat)
    }

    // MARK: RFC 8037

    @Test(
        "RFC 8037, appendices A.1 to A.5: computes the printed token and thumbprint"
    )
    func edwards() throws {
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: Self.bytes("d", of: RFC8037.a1))
        let pem = """
            -----BEGIN PRIVATE KEY-----
            \(Data([0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]
                + key.rawRepresentation).base64EncodedString())
            -----END PRIVATE KEY-----
            """
        let signer = try JWSSigningKey(pem: pem)
        let token = try signer.sign(payload: Array(RFC8037.a4Payload.utf8), headerText: #"{"alg":"EdDSA"}"#)
        #expect(token == SignatureVector.rfc8037A4.token)
        let published = try JWK(parsing: Self.object(RFC8037.a1))
        #expect(published == (try SignatureVector.rfc8037A4.jwk()))
        #expect(published.thumbprint == RFC8037.a3)
        #expect(signer.thumbprint == RFC8037.a3)
    }

    @Test(
        "RFC 8037, appendices A.6 and A.7: ignores keys for key agreement",
        .covers(87),
        arguments: [RFC8037.a6, RFC8037.a7]
    )
    func agreement(_ text: String) throws {
        let set = try JWKSet(parsing: Array(#"{"keys":[\#(text)]}"#.utf8))
        #expect(set.keys.isEmpty)
        #expect(set.ignoredCount == 1)
    }

    // MARK: RFC 9449

    @Test("RFC 9449: the proofs have the printed key thumbprint and token hash", .covers(100))
    func proofs() throws {
        for vector in [SignatureVector.rfc9449Section4, .rfc9449Section5, .rfc9449Section7] {
            let jws = try CompactJWS(parsing: vector.token)
            let key = try JWK(parsing: try #require(jws.header.fields["jwk"]))
            #expect(key == (try vector.jwk()))
            #expect(key.thumbprint == RFC9449.thumbprint)
            #expect(jws.header.type == "dpop+jwt")
        }
        let claims = try CompactJWS(parsing: SignatureVector.rfc9449Section7.token).claims()
        #expect(claims["htm"]?.string == "GET")
        #expect(claims["htu"]?.string == "https://resource.example.org/protectedresource")
        #expect(claims["ath"]?.string == RFC9449.accessTokenHash)
        let hash = Base64URL.encode(Array(SHA256.hash(data: Array(RFC9449.accessToken.utf8))))
        #expect(hash == RFC9449.accessTokenHash)
    }
}
