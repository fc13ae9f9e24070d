// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestTraits
internal import Testing
internal import TesseraJSON

@Suite("JSON grammar")
struct JSONGrammarTests {
    static let accepted: [String] = [
        "null", "true", "false", "0", "-0", "-1", "1.5", "1e3", "1E+3", "1e-3", "0.0", "-0.0e-0",
        "123456789012345678901234567890",
        "1e400", "\"\"", "\"a\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0000\"", "\"\\uD83D\\uDE00\"", "\"\\uFFFF\"",
        "\"\u{7F}\"", "\"é€😀\u{10FFFF}\"", "\"\u{2028}\"", "[]", "[ ]", "[1]", "[1,2]", "[[],[[]],{}]", "{}", "{ }",
        "{\"\":0}", "{\"a\":{\"a\":{\"a\":1}}}", "{\"a\":1,\"b\":2}", " \t\r\n{ \"a\" : [ 1 , 2 ] } \n",
        "[null,true,false]",
        "\"a string that is longer than eight bytes, é in it, and a \\u0041 near its end\"",
    ]

    @Test("Parses valid text and preserves its bytes", arguments: Self.accepted)
    func valid(_ text: String) throws {
        let spaces = Set(" \t\r\n".utf8)
        let bytes = Array(text.utf8.drop { spaces.contains($0) }.reversed().drop { spaces.contains($0) }.reversed())
        #expect(try Array(JSONValue(parsing: text).bytes) == bytes)
    }

    static let rejected: [String] = [
        "", " ", "nul", "nulll", "NULL", "True", "tru", "f", "undefined", "NaN", "Infinity", "-Infinity", "+1", "-",
        "01", "-01", "00",
        "1.", ".5", "-.5", "1.e3", "1e", "1e+", "1e-", "1.5.5", "1ee3", "0x10", "1_000", "1 2", "1,", ",", ":",
        "\"", "\"a", "\"\\", "\"\\\"", "\"\\x\"", "\"\\a\"", "\"\\u\"", "\"\\u12\"", "\"\\u123g\"", "\"\\U0041\"",
        "\"\n\"", "\"\t\"",
        "\"\u{0}\"", "\"\u{1F}\"", "'a'", "a", "\"long enough to be read in words\u{1F}, and then more\"",
        "[", "]", "[1", "[1,", "[,", "[1,]", "[,1]", "[1,,2]", "[1 2]", "[1:2]", "[1}", "[\"a", "[]]", "[][]", "[1]x",
        "[1],",
        "{", "}", "{\"", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{,\"a\":1}", "{\"a\"}",
        "{\"a\",1}",
        "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\":1,,\"b\":2}", "{a:1}", "{'a':1}", "{1:1}", "{null:1}", "{\"a\":1]",
        "{\"a\":}", "{}}",
        "{} {}", "{}// note", "/* note */{}", "{\"a\":1}#", "\u{FEFF}{}", "{}\u{FEFF}", "\u{A0}1", "1\u{C}", "\u{B}1",
        "{}\u{0}",
        "<!DOCTYPE html>", "[1]\n]",
    ]

    @Test("Rejects text that violates the grammar", .covers(6), arguments: Self.rejected)
    func invalid(_ text: String) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.code == .invalidSyntax)
        #expect(error.map { (0...text.utf8.count).contains($0.offset) } == true)
    }

    static let escapes: [String] = [
        "\"\\uD800\"", "\"\\uDBFF\"", "\"\\uDC00\"", "\"\\uDFFF\"", "\"\\uD83D\\u0041\"", "\"\\uD83D\\uD83D\"",
        "\"\\uDE00\\uD83D\"",
        "\"\\uD83Dx\"", "\"\\uD83D\\n\"", "\"\\uD83D\\u00\"",
    ]

    @Test("Rejects an escaped surrogate without its pair", arguments: Self.escapes)
    func surrogate(_ text: String) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.code == .invalidUTF8)
    }

    static let sequences: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
        [0xE2, 0x82],
        [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
        [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x98, 0x41], [0xF4, 0x90, 0x80, 0x80],
        [0xF5, 0x80, 0x80, 0x80],
        [0xFE], [0xFF],
    ]

    @Test(
        "Rejects invalid UTF-8 anywhere in a string",
        arguments: Self.sequences,
        ["", "a", "seven..", "eight...", "a longer text, read in words"]
    )
    func encoding(_ bytes: [UInt8], prefix: String) {
        let text = Array("[\"\(prefix)".utf8) + bytes + Array("\"]".utf8)
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error == JSONError(.invalidUTF8, offset: 2 + prefix.utf8.count))
        #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.dropLast(2))) }
    }

    @Test("Rejects a control character at any position in a string", arguments: 0..<24)
    func control(_ location: Int) {
        var text = Array(repeating: UInt8(ascii: "a"), count: 24)
        text[location] = 0x1F
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22] + text + [0x22]) }
        #expect(error == JSONError(.invalidSyntax, offset: location + 1))
    }
}
