// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

@Suite("Signed tokens in compact form")
struct CompactJWSTests {
    private static func parse(header: String, payload: String = "{}") throws -> CompactJWS {
        try CompactJWS(
            parsing: Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8) + "."
                + Base64URL.encode([1, 2])
        )
    }

    @Test("A token is taken apart into header, payload and signature")
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

    @Test("Each token has its own header, whichever was read before")
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
        "A token without three parts is refused",
        .covers(81),
        arguments: ["", "a", "e30", "e30.e30", "e30.e30.e30.e30", "......", "....", "a.b.c.d.e.f", "{.e30.e30.e30.e30"]
    )
    func count(_ text: String) {
        let error = #expect(throws: ProtocolViolationError.self) { try CompactJWS(parsing: text) }
        #expect(error?.rule == .jwsFormat)
    }

    @Test("An encrypted token has five parts and is refused as such", .covers(81, 96))
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
        "Padding, the other alphabet, white space and unused bits are refused in each part",
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

    @Test("A header that is no JSON object, or lacks alg, is refused", .covers(81, 82), arguments: Self.badHeaders)
    func header(_ header: String) {
        let error = #expect(throws: ProtocolViolationError.self) { try Self.parse(header: header) }
        #expect(error?.rule == .jwsFormat)
    }

    @Test(
        "The algorithm none is refused however it is spelled",
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

    @Test("A header with crit or b64 is refused", .covers(88), arguments: Self.extensions)
    func critical(_ header: String) {
        let error = #expect(throws: ProtocolViolationError.self) { try Self.parse(header: header) }
        #expect(error?.rule == .jwsCritical)
    }

    @Test("A token longer than 64 KiB is refused before it is read")
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

    @Test("Claims are one JSON object without duplicates", .covers(81, 96), arguments: Self.badPayloads)
    func claims(_ payload: String) throws {
        let jws = try Self.parse(header: #"{"alg":"RS256"}"#, payload: payload)
        let error = #expect(throws: ProtocolViolationError.self) { try jws.claims() }
        #expect(error?.rule == .jwtClaims)
    }

    @Test("A token shows only its algorithm when printed", .covers(124))
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
