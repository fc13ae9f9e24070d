// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

@Suite("Key sets")
struct JWKSetTests {
    private static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
    private static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"

    private static func point(_ members: String = "") -> String {
        #"{"kty":"EC","crv":"P-256","x":"\#(Self.x)","y":"\#(Self.y)"\#(members)}"#
    }

    private static func set(_ keys: String...) throws -> JWKSet {
        try JWKSet(parsing: Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8))
    }

    private static func header(_ text: String) throws -> JWSHeader {
        try CompactJWS(parsing: Base64URL.encode(text.utf8) + ".e30.AAAA").header
    }

    /// Generates a key and returns its JWK with the given members added.
    private static func fresh(_ algorithm: JWSAlgorithm, _ members: String) throws -> (text: String, thumbprint: String)
    {
        let key = try JWSSigningKey.generate(algorithm)
        return (key.barePublicJWK.text().dropLast() + members + "}", key.thumbprint)
    }

    static let notSets = [
        "", "<html></html>", "[]", "null", "{}", #"{"keys":null}"#, #"{"keys":{}}"#, #"{"keys":"x"}"#, #"{"keys":[5]}"#,
        #"{"keys":[[]]}"#,
        #"{"keys":[],"keys":[]}"#, #"{"keys":[{"kty":"EC","kty":"RSA"}]}"#, #"{"keys":[]}x"#,
        #"{"error":"server_error"}"#,
    ]

    @Test("Rejects a document that is not a key set", .covers(97), arguments: Self.notSets)
    func unreadable(_ text: String) {
        let error = #expect(throws: ProtocolViolationError.self) { try JWKSet(parsing: Array(text.utf8)) }
        #expect(error?.rule == .jwkSetFormat)
    }

    @Test("Accepts at most 200 keys in a set", .covers(97))
    func count() throws {
        func text(_ count: Int) -> [UInt8] {
            Array(#"{"keys":[\#(Array(repeating: "{\"kty\":\"EC\"}", count: count).joined(separator: ","))]}"#.utf8)
        }
        for count in [201, 5_000] {
            let error = #expect(throws: ProtocolViolationError.self) { try JWKSet(parsing: text(count)) }
            #expect(error?.rule == .jwkSetFormat)
        }
        #expect(try JWKSet(parsing: text(200)).ignoredCount == 200)
    }

    @Test("Rejects a set longer than 1 MiB", .covers(97))
    func size() {
        let text = Array(#"{"keys":[],"x":"\#(String(repeating: "x", count: 1 << 20))"}"#.utf8)
        let error = #expect(throws: ProtocolViolationError.self) { try JWKSet(parsing: text) }
        #expect(error?.rule == .jwkSetFormat)
    }

    @Test("Ignores and counts keys that cannot be used")
    func ignored() throws {
        let set = try Self.set(
            #"{"kty":"oct","k":"AAAA"}"#,
            #"{"kty":"future"}"#,
            Self.point(#","kid":"good""#),
            "{}",
            #"{"kty":"RSA","n":"AA","e":"AQAB"}"#,
            SignatureVector.small.key,
            #"{"kty":"EC","crv":"P-256","x":"\#(Self.y)","y":"\#(Self.x)"}"#
        )
        #expect(set.keys.map(\.keyID) == ["good"])
        #expect(set.ignoredCount == 6)
    }

    @Test("Does not retain the private members of a key")
    func privateMembers() throws {
        let set = try Self.set(Self.point(#","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI""#))
        #expect(set.keys.count == 1)
        #expect(!"\(set)".contains("jpsQnnGQ"))
        #expect(!String(reflecting: set).contains("jpsQnnGQ"))
    }

    @Test("Finds a key by its key ID")
    func named() throws {
        let (one, two) = (try Self.fresh(.es256, #","kid":"1""#), try Self.fresh(.es256, #","kid":"2""#))
        let set = try Self.set(one.text, two.text)
        #expect(
            set.candidates(for: try Self.header(#"{"alg":"ES256","kid":"2"}"#)).map(\.thumbprint) == [two.thumbprint]
        )
        #expect(set.candidates(for: try Self.header(#"{"alg":"ES256","kid":"3"}"#)).isEmpty)
        #expect(set.candidates(for: try Self.header(#"{"alg":"ES256","kid":""}"#)).isEmpty)
    }

    @Test("Returns no key without a kid for a header with one", .covers(86))
    func withoutKeyID() throws {
        let set = try Self.set(Self.point())
        #expect(set.candidates(for: try Self.header(#"{"alg":"ES256","kid":"1"}"#)).isEmpty)
        #expect(set.candidates(for: try Self.header(#"{"alg":"ES256"}"#)).count == 1)
    }

    @Test("Returns all suitable keys for a header without a kid", .covers(87))
    func several() throws {
        let (one, two) = (try Self.fresh(.es256, #","kid":"1""#), try Self.fresh(.es256, ""))
        let set = try Self.set(one.text, two.text, try Self.fresh(.es384, "").text)
        let header = try Self.header(#"{"alg":"ES256"}"#)
        #expect(set.candidates(for: header).map(\.thumbprint) == [one.thumbprint, two.thumbprint])
    }

    @Test("Distinguishes keys with the same kid by type, curve, algorithm and use", .covers(87))
    func sameName() throws {
        let p256 = try Self.fresh(.es256, #","kid":"k","use":"sig""#)
        let p384 = try Self.fresh(.es384, #","kid":"k""#)
        let edwards = try Self.fresh(.edDSA, #","kid":"k""#)
        let encryption = try Self.fresh(.es256, #","kid":"k","use":"enc""#)
        let set = try Self.set(encryption.text, p256.text, p384.text, edwards.text)
        for (algorithm, key) in [("ES256", p256), ("ES384", p384), ("EdDSA", edwards), ("Ed25519", edwards)] {
            let header = try Self.header(#"{"alg":"\#(algorithm)","kid":"k"}"#)
            #expect(set.candidates(for: header).map(\.thumbprint) == [key.thumbprint])
        }
        #expect(set.candidates(for: try Self.header(#"{"alg":"RS256","kid":"k"}"#)).isEmpty)
    }

    static let otherUses = [
        #","use":"enc""#, #","use":"SIG""#, #","key_ops":[]"#, #","key_ops":["sign"]"#, #","alg":"ES384""#,
        #","alg":"RS256""#, #","alg":"es256""#,
    ]

    @Test("Rejects a key for another use, operation or algorithm", .covers(87), arguments: Self.otherUses)
    func unfit(_ members: String) throws {
        let set = try Self.set(Self.point(members))
        #expect(set.keys.count == 1)
        #expect(set.candidates(for: try Self.header(#"{"alg":"ES256"}"#)).isEmpty)
        let jws = try CompactJWS(parsing: SignatureVector.rfc7515A3.token)
        let error = #expect(throws: ProtocolViolationError.self) { try jws.verify(with: set.keys[0]) }
        #expect(error?.rule == .jwsAlgorithm)
    }

    @Test(
        "Returns no key for HMAC or an unknown algorithm",
        .covers(83),
        arguments: ["HS256", "HS512", "ES256K", "x"]
    )
    func symmetric(_ algorithm: String) throws {
        let set = try Self.set(Self.point(), SignatureVector.ps256.key, #"{"kty":"oct","k":"AAAA"}"#)
        #expect(set.candidates(for: try Self.header(#"{"alg":"\#(algorithm)"}"#)).isEmpty)
    }

    @Test("Returns a key that is published twice only once")
    func twice() throws {
        let set = try Self.set(Self.point(#","kid":"a""#), Self.point(#","kid":"a","use":"sig""#))
        #expect(set.candidates(for: try Self.header(#"{"alg":"ES256","kid":"a"}"#)).count == 1)
    }
}
