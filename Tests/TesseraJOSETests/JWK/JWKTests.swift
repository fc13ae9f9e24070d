// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

@Suite("Public keys")
struct JWKTests {
    private static let point = """
        "crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
        """
    private static let modulus = Base64URL.encode([0x80] + Array(repeating: 0x55, count: 254) + [0x01])

    private static func expectRefused(_ text: String) throws {
        let value = try JSONValue(parsing: text)
        let error = #expect(throws: ProtocolViolationError.self) { try JWK(parsing: value) }
        #expect(error?.rule == .jwkFormat)
    }

    @Test("Parses a key with its use, algorithm, key ID and operations")
    func members() throws {
        let key = try JWK(
            parsing: JSONValue(
                parsing: """
                    {"kty":"EC",\(Self.point),"use":"sig","alg":"ES256","kid":"k","key_ops":["verify"],"x5c":["AA"],"new":1}
                    """
            )
        )
        #expect(key.keyType == "EC")
        #expect(key.curve == "P-256")
        #expect(key.use == "sig")
        #expect(key.algorithm == .es256)
        #expect(key.keyID == "k")
        #expect(key.keyOperations == ["verify"])
    }

    static let badKeys = [
        "{}", "[]", #"{"kty":5}"#, #"{"kty":"oct","k":"AAAA"}"#, #"{"kty":"EC"}"#, #"{"kty":"ec"}"#, #"{"kty":"AKP"}"#,
        #"{"kty":"OKP","crv":"X25519","x":"AA"}"#,
        #"{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}"#, #"{"kty":"EC","crv":5,"x":"AA","y":"AA"}"#,
        #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#, #"{"kty":"EC","crv":"P-256","x":"","y":""}"#,
        #"{"kty":"OKP","crv":"Ed25519"}"#, #"{"kty":"OKP","crv":"Ed25519","x":"AAAA"}"#, #"{"kty":"RSA"}"#,
        #"{"kty":"RSA","n":"AA","e":"AQAB"}"#,
        #"{"kty":"RSA","n":5,"e":"AQAB"}"#,
    ]

    @Test("Rejects a key of an unknown type or with invalid members", .covers(87), arguments: Self.badKeys)
    func malformed(_ text: String) throws {
        try Self.expectRefused(text)
    }

    static let annotations = [
        #""use":5"#, #""alg":[]"#, #""kid":1"#, #""key_ops":"verify""#, #""key_ops":[1]"#, #""key_ops":{}"#,
    ]

    @Test("Rejects optional key members of the wrong type", arguments: Self.annotations)
    func annotation(_ member: String) throws {
        try Self.expectRefused("{\"kty\":\"EC\",\(Self.point),\(member)}")
    }

    static let points = [
        // One bit of y changed, x and y swapped, the point (0, 0), a coordinate beyond the field, and padded base64.
        ("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a4"),
        ("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
        ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
        ("__________________________________________8", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"),
        ("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU=", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"),
    ]

    @Test("Rejects a point that is not on its curve", .covers(85), arguments: Self.points)
    func offCurve(_ x: String, _ y: String) throws {
        try Self.expectRefused(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#)
        try Self.expectRefused(#"{"kty":"EC","crv":"P-384","x":"\#(x)","y":"\#(y)"}"#)
        try Self.expectRefused(#"{"kty":"EC","crv":"P-521","x":"\#(x)","y":"\#(y)"}"#)
    }

    @Test("Rejects an RSA key shorter than 2,048 bits", .covers(85))
    func smallModulus() throws {
        try Self.expectRefused(SignatureVector.small.key)
        let bits2047 = Base64URL.encode([0x7F] + Array(repeating: 0xFF, count: 255))
        try Self.expectRefused(#"{"kty":"RSA","n":"\#(bits2047)","e":"AQAB"}"#)
        let padded = Base64URL.encode(Array(repeating: 0, count: 200) + Array(repeating: 0xFF, count: 128))
        try Self.expectRefused(#"{"kty":"RSA","n":"\#(padded)","e":"AQAB"}"#)
    }

    /// The product of two primes of 1,024 bits with the structure of the ROCA weakness.
    private static let predictableModulus = """
        pmOQO0HW6dPXt8JEdqioCykOCvEmlpV2TT6FwBJY72uPzcy-7zxcJlZtjC8Ul4FBmQtSMNfm5qnz03kcGBo9bah18b6L1K4G\
        N8HlAXxLKCmL8ReK1ag0JzM1otjAuMKEnwDYHcluOJK6ViM9EYMnkH2RRGj8I_KbS6LPl-mV-ONcMAlhaiXC24NxFXBUE0IE\
        qMZ-t1pdqHq4cJ0EkXQRQZrecR1xD824AIG1WrcNNHy4gxf9ufzMHMTVdT6cYEsMWcElukiHYQ8L4FjV2XBlzwo0rB0hrvEB\
        5y1k1xOnIyC0hOBddBKItYydh_VG5gigFSmhzwDI8DBDH-Vq6RLI_w
        """

    @Test("Rejects an RSA key whose primes are predictable (ROCA)")
    func predictable() throws {
        try Self.expectRefused(#"{"kty":"RSA","n":"\#(Self.predictableModulus)","e":"AQAB"}"#)
    }

    @Test("Parses a key from bytes and rejects bytes that are not an object")
    func bytes() throws {
        let text = "{\"kty\":\"EC\",\(Self.point)}"
        #expect(try JWK(parsing: Array(text.utf8)) == JWK(parsing: JSONValue(parsing: text)))
        for text in ["", "[]", "\(text)x", #"{"kty":"EC","kty":"EC"}"#] {
            let error = #expect(throws: ProtocolViolationError.self) { try JWK(parsing: Array(text.utf8)) }
            #expect(error?.rule == .jwkFormat)
        }
    }

    @Test("Rejects an RSA key with an oversized or even modulus")
    func largeModulus() throws {
        let large = Base64URL.encode(Array(repeating: 0xFF, count: 2_049))
        try Self.expectRefused(#"{"kty":"RSA","n":"\#(large)","e":"AQAB"}"#)
        let even = Base64URL.encode(Array(repeating: 0xFE, count: 256))
        try Self.expectRefused(#"{"kty":"RSA","n":"\#(even)","e":"AQAB"}"#)
    }

    static let exponents: [[UInt8]] = [
        [0], [1], [2], [1, 0, 0], [2, 0, 0, 0, 1], [255, 255, 255, 255, 255, 255, 255, 255, 255],
    ]

    @Test("Rejects an RSA key with an invalid exponent", .covers(85), arguments: Self.exponents)
    func exponent(_ exponent: [UInt8]) throws {
        try Self.expectRefused(#"{"kty":"RSA","n":"\#(Self.modulus)","e":"\#(Base64URL.encode(exponent))"}"#)
    }

    @Test("Ignores leading zeros in an RSA key")
    func leadingZeros() throws {
        let modulus = try #require(Base64URL.decode(Self.modulus))
        let key = try JWK(parsing: JSONValue(parsing: #"{"kty":"RSA","n":"\#(Self.modulus)","e":"AQAB"}"#))
        let padded = #"{"kty":"RSA","n":"\#(Base64URL.encode([0] + modulus))","e":"AAEAAQ"}"#
        #expect(try JWK(parsing: JSONValue(parsing: padded)) == key)
    }

    static let thumbprints: [(SignatureVector, String)] = [
        (.rfc7515A2, "IsUn6_e04MaShXFIISMp4kG62LWzMIPy_MvSA5pJgX8"),
        (.rfc7515A3, "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U"),
        (.rfc7515A4, "u5YUSjQ2-2chBi51NSk3t3g7IM4o2KYcnPqPtCNGd3U"),
        (.rfc8037A4, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"),
    ]

    @Test("Computes the thumbprint that RFC 7638 defines", arguments: Self.thumbprints)
    func thumbprint(_ vector: SignatureVector, _ thumbprint: String) throws {
        #expect(try vector.jwk().thumbprint == thumbprint)
    }

    @Test("Computes the thumbprint of the example in RFC 7638, section 3.1")
    func thumbprintExample() throws {
        let key = try JWK(
            parsing: JSONValue(
                parsing: #"""
                    {"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L\#
                    6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2Q\#
                    vzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4l\#
                    Fd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256",\#
                    "kid":"2011-04-29"}
                    """#
            )
        )
        #expect(key.thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    }
}
