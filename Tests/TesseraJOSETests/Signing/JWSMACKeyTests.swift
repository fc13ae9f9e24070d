// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

@Suite("Shared secrets that authenticate a client")
struct JWSMACKeyTests {
    private static let secret = Array(repeating: 0x61 as UInt8, count: 64)

    @Test(
        "The key that made a token knows it, another key or algorithm does not",
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

    @Test("A token that was altered or cut is not the key's")
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

    @Test("The key's name and further members are in the header; one of the same name replaces its own")
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
        "A secret shorter than the hash is told apart, and used",
        arguments: [(.hs256, 32), (.hs384, 48), (.hs512, 64)] as [(JWSMACKey.Algorithm, Int)]
    )
    func length(algorithm: JWSMACKey.Algorithm, length: Int) {
        #expect(JWSMACKey(secret: Self.secret.prefix(length).map { $0 }, algorithm: algorithm).isLongEnough)
        #expect(!JWSMACKey(secret: Self.secret.prefix(length - 1).map { $0 }, algorithm: algorithm).isLongEnough)
    }

    @Test("An empty secret signs, too")
    func emptySecret() {
        #expect(JWSMACKey(secret: []).sign(payload: []).hasSuffix(".") == false)
    }

    @Test("No HMAC is among what is verified of a provider", .covers(83), arguments: JWSMACKey.Algorithm.allCases)
    func neverVerified(algorithm: JWSMACKey.Algorithm) {
        #expect(!JWSAlgorithm.supported.contains(JWSAlgorithm(rawValue: algorithm.rawValue)))
    }

    @Test("A shared secret shows nothing when printed", .covers(124))
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
