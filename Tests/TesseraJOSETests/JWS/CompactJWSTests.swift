// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

@Suite("Compact JWS")
struct CompactJWSTests {
    private static func parse(header: String, payload: String = "{}") throws -> CompactJWS {
        try CompactJWS(
            parsing: Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8) + "."
                + Base64URL.encode([1, 2])
        )
    }

    @Test("Parses a token into header, payload and signature")
    func parts() throws {
        let jws = try Self.parse(header: #"{"alg":"RS256","kid":"k1","typ":"JWT","extra":5}"#, payload: #"{"sub":"1"}"#)
        #expect(jws.header.algorithm == .rs256)
        #expect(jws.header.keyID == "k1")
        #expect(jws.header.type == "JWT")
        #expect(try jws.header.fields["extra"]?.integer() == 5)
        #expect(jws.payload == Array(#"{"sub":"1"}"#.utf8))
        #expect(jws.signature == [1, 2])
        #expect(String(decoding: jws.signingInput, as: UTF8.self).split(separator: ".").count == 2)
        #expect(try jws.claims()["sub"]?.string == "1")
    }

    @Test("Parses each header correctly regardless of earlier tokens")
    func headers() throws {
        for round in 0..<3 {
            for name in ["k1", "k2", "k1", "k12"] {
                let jws = try Self.parse(header: #"{"alg":"RS256","kid":"\#(name)"}"#, payload: #"{"n":\#(round)}"#)
                #expect(jws.header.keyID == name)
                #expect(try jws.claims()["n"]?.integer() == round)
            }
            let error = #expect(throws: ProtocolViolationError.self) { try Self.parse(header: #"{"alg":"none"}"#) }
            #expect(error?.rule == .jwsAlgorithm)
        }
    }

    @Test(
        "Rejects a token without exactly three parts",
        .covers(81),
        arguments: ["", "a", "e30", "e30.e30", "e30.e30.e30.e30", "......", "....", "a.b.c.d.e.f", "{.e30.e30.e30.e30"]
    )
    func count(_ text: String) {
        let error = #expect(throws: ProtocolViolationError.self) { try CompactJWS(parsing: text) }
        #expect(error?.rule == .jwsFormat)
    }

    @Test("Rejects an encrypted token with its own error", .covers(81, 96))
    func encrypted() {
        let error = #expect(throws: ProtocolViolationError.self) { try CompactJWS(parsing: "e30.e30.e30.e30.e30") }
        #expect(error?.rule == .jweUnsupported)
        #expect(error?.description.contains("encrypted tokens are not supported") == true)
    }

    static let badParts: [(String, String, String)] = [
        ("=", "", ""), ("", "=", ""), ("", "", "="), ("==", "", ""), ("", "", "+"), ("", "/", ""), ("", "", "B"),
        ("\n", "", ""), ("", " ", ""),
        ("", "", "\u{E9}"),
    ]

    @Test(
        "Rejects padding, other alphabets, whitespace and unused bits in each part",
        .covers(81),
        arguments: Self.badParts
    )
    func encoding(_ first: String, _ second: String, _ third: String) {
        let header = Base64URL.encode(#"{"alg":"RS256"} "#.utf8)
        let text = "\(header)\(first).e30\(second).AAAA\(third)"
        let error = #expect(throws: ProtocolViolationError.self) { try CompactJWS(parsing: text) }
        #expect(error?.rule == .jwsFormat)
    }

    static let badHeaders = [
        "", "null", "[]", "\"RS256\"", "{", "{}", #"{"alg":5}"#, #"{"alg":null}"#, #"{"alg":["RS256"]}"#,
        #"{"typ":"JWT"}"#,
        #"{"alg":"RS256","kid":1}"#, #"{"alg":"RS256","typ":{}}"#, #"{"alg":"RS256","alg":"none"}"#,
        #"{"alg":"RS256","\u0061lg":"HS256"}"#,
        #"{"alg":"RS256"}{}"#, "\u{FEFF}{\"alg\":\"RS256\"}",
    ]

    @Test("Rejects a header that is not a JSON object or has no valid alg", .covers(81, 82), arguments: Self.badHeaders)
    func header(_ header: String) {
        let error = #expect(throws: ProtocolViolationError.self) { try Self.parse(header: header) }
        #expect(error?.rule == .jwsFormat)
    }

    @Test(
        "Rejects the algorithm none in any letter case",
        .covers(82),
        arguments: ["none", "None", "NONE", "nOnE"],
        ["", "AAAA"]
    )
    func unsigned(_ name: String, signature: String) {
        let header = Base64URL.encode(#"{"alg":"\#(name)"}"#.utf8)
        let error = #expect(throws: ProtocolViolationError.self) {
            try CompactJWS(parsing: "\(header).e30.\(signature)")
        }
        #expect(error?.rule == .jwsAlgorithm)
    }

    static let extensions = [
        #"{"alg":"RS256","crit":["exp"],"exp":1}"#, #"{"alg":"RS256","crit":[]}"#,
        #"{"alg":"RS256","b64":false,"crit":["b64"]}"#,
        #"{"alg":"RS256","b64":false}"#, #"{"alg":"RS256","b64":true}"#,
    ]

    @Test("Rejects a header with crit or b64", .covers(88), arguments: Self.extensions)
    func critical(_ header: String) {
        let error = #expect(throws: ProtocolViolationError.self) { try Self.parse(header: header) }
        #expect(error?.rule == .jwsCritical)
    }

    @Test("Rejects a token longer than 64 KiB before parsing it")
    func length() {
        let text = "e30.\(String(repeating: "A", count: CompactJWS.maximumLength)).e30"
        let error = #expect(throws: ProtocolViolationError.self) { try CompactJWS(parsing: text) }
        #expect(error?.rule == .jwsFormat)
    }

    static let badPayloads = [
        "", "null", "[]", "5", "\"sub\"", "{", "{}x", "not JSON", #"{"sub":"1","sub":"2"}"#,
        #"{"aud":"a","\u0061ud":"b"}"#,
        #"{"a":{"b":1,"b":2}}"#,
    ]

    @Test(
        "Rejects claims that are not one JSON object without duplicate members",
        .covers(81, 96),
        arguments: Self.badPayloads
    )
    func claims(_ payload: String) throws {
        let jws = try Self.parse(header: #"{"alg":"RS256"}"#, payload: payload)
        let error = #expect(throws: ProtocolViolationError.self) { try jws.claims() }
        #expect(error?.rule == .jwtClaims)
    }

    @Test("The description of a token contains only its algorithm", .covers(124))
    func description() throws {
        let jws = try Self.parse(header: #"{"alg":"RS256","kid":"canary"}"#, payload: "canary")
        var dumped = ""
        dump(jws, to: &dumped)
        for text in ["\(jws)", String(reflecting: jws), dumped] {
            #expect(text.contains("JWS RS256"))
            #expect(!text.contains("canary"))
            #expect(!text.contains("\(UInt8(ascii: "c"))"))
        }
    }
}
