// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

@Suite("HMAC keys")
struct JWSMACKeyTests {
    private static let secret = Array(repeating: 0x61 as UInt8, count: 64)

    @Test(
        "Recognizes only tokens signed with the same key and algorithm",
        arguments: JWSMACKey.Algorithm.allCases
    )
    func roundTrip(_ algorithm: JWSMACKey.Algorithm) throws {
        let key = JWSMACKey(secret: Self.secret, algorithm: algorithm)
        let jws = try CompactJWS(parsing: key.sign(payload: Array("{}".utf8), type: "JWT"))
        #expect(jws.header.algorithm.rawValue == algorithm.rawValue)
        #expect(jws.header.type == "JWT")
        #expect(jws.header.keyID == nil)
        for other in JWSMACKey.Algorithm.allCases {
            #expect(JWSMACKey(secret: Self.secret, algorithm: other).isSigner(of: jws) == (other == algorithm))
        }
        #expect(!JWSMACKey(secret: Self.secret.dropLast() + [0], algorithm: algorithm).isSigner(of: jws))
    }

    @Test("Verifies a token with the algorithm of the key only")
    func verify() throws {
        let jws = try CompactJWS(parsing: JWSMACKey(secret: Self.secret).sign(payload: Array("{}".utf8)))
        try jws.verify(with: JWSMACKey(secret: Self.secret))
        let other = #expect(throws: ProtocolViolationError.self) {
            try jws.verify(with: JWSMACKey(secret: Self.secret, algorithm: .hs512))
        }
        #expect(other?.rule == .jwsAlgorithm)
        let wrong = #expect(throws: ProtocolViolationError.self) {
            try jws.verify(with: JWSMACKey(secret: Self.secret + [0]))
        }
        #expect(wrong?.rule == .jwsSignature)
    }

    @Test("Rejects an altered or truncated token")
    func altered() throws {
        let key = JWSMACKey(secret: Self.secret)
        let parts = key.sign(payload: Array("{}".utf8)).split(separator: ".").map(String.init)
        let signature = try #require(Base64URL.decode(parts[2]))
        for (payload, code) in [
            ("e31", signature), ("e30", signature.dropLast()), ("e30", []), ("e30", signature + [0]),
            ("e30", [signature[0] ^ 1] + signature.dropFirst()),
        ] {
            let payload = payload == "e30" ? payload : Base64URL.encode("{ }".utf8)
            let jws = try CompactJWS(parsing: "\(parts[0]).\(payload).\(Base64URL.encode(code))")
            #expect(!key.isSigner(of: jws))
        }
    }

    @Test("Writes the key ID and custom header members, which replace standard ones")
    func header() throws {
        var key = JWSMACKey(secret: Self.secret)
        key.keyID = "1"
        let header = [JSONMember(name: "typ", value: "a"), JSONMember(name: "x", value: 1)]
        let jws = try CompactJWS(parsing: key.sign(payload: [], type: "JWT", header: header))
        #expect(jws.header.keyID == "1")
        #expect(jws.header.type == "a")
        #expect(try jws.header.fields["x"]?.integer() == 1)
    }

    @Test(
        "Reports whether the secret is at least as long as the hash",
        arguments: [(.hs256, 32), (.hs384, 48), (.hs512, 64)] as [(JWSMACKey.Algorithm, Int)]
    )
    func length(algorithm: JWSMACKey.Algorithm, length: Int) {
        #expect(JWSMACKey(secret: Self.secret.prefix(length).map { $0 }, algorithm: algorithm).isLongEnough)
        #expect(!JWSMACKey(secret: Self.secret.prefix(length - 1).map { $0 }, algorithm: algorithm).isLongEnough)
    }

    @Test("Signs with an empty secret")
    func emptySecret() {
        #expect(JWSMACKey(secret: []).sign(payload: []).hasSuffix(".") == false)
    }

    @Test("Rejects a token authenticated with an empty secret", arguments: JWSMACKey.Algorithm.allCases)
    func emptySecretVerification(algorithm: JWSMACKey.Algorithm) throws {
        let key = JWSMACKey(secret: [], algorithm: algorithm)
        let jws = try CompactJWS(parsing: key.sign(payload: Array("forged".utf8)))
        let error = #expect(throws: ProtocolViolationError.self) { try jws.verify(with: key) }
        #expect(error?.rule == .jwsSignature)
    }

    @Test("No HMAC algorithm is supported for verification", .covers(83), arguments: JWSMACKey.Algorithm.allCases)
    func neverVerified(algorithm: JWSMACKey.Algorithm) {
        #expect(!JWSAlgorithm.supported.contains(JWSAlgorithm(rawValue: algorithm.rawValue)))
    }

    @Test("The description of an HMAC key does not contain the secret", .covers(124))
    func description() {
        var key = JWSMACKey(secret: Array("canary".utf8))
        key.keyID = "name"
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(text.contains("HS256 name"))
            #expect(!text.contains("canary"))
            #expect(!text.contains("99"))
        }
    }
}
