// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestTraits
internal import Testing
internal import TesseraJSON

@Suite("JSON writing")
struct JSONNodeTests {
    @Test("Writes literals compactly and in order")
    func literals() {
        let node: JSONNode = ["b": nil, "a": [true, false, 1, -1.5, "s"], "": [:], "e": []]
        #expect(node.text() == #"{"b":null,"a":[true,false,1,-1.5,"s"],"":{},"e":[]}"#)
    }

    @Test("Escapes only the required characters in a string")
    func escapes() throws {
        let text = String(String.UnicodeScalarView((0...0x7F).compactMap(Unicode.Scalar.init))) + "é€😀\u{2028}"
        let written = JSONNode.string(text).text()
        #expect(written.hasPrefix(#""\u0000\u0001"#))
        #expect(written.contains(#"\u0008\t\n\u000b\u000c\r\u000e"#))
        #expect(written.contains(##"\u001f !\"#"##))
        #expect(written.contains(#"[\\]"#))
        #expect(written.hasSuffix("\u{7F}é€😀\u{2028}\""))
        #expect(try JSONValue(parsing: written).string == text)
        #expect(try JSONValue(parsing: JSONNode.object([JSONMember(name: text, value: 1)]).text())[text] != nil)
    }

    @Test("Indents pretty text by at most 32 levels")
    func deepIndentation() throws {
        let text = String(repeating: "[", count: 1_000) + String(repeating: "]", count: 1_000)
        let node = JSONNode.parsed(try JSONValue(parsing: text, limits: JSONLimits(maximumDepth: 1_000)))
        let lines = node.text(pretty: true).split(separator: "\n")
        #expect(lines[31].prefix { $0 == " " }.count == 62)
        #expect(lines[999].prefix { $0 == " " }.count == 64)
        #expect(try JSONValue(parsing: node.text(pretty: true), limits: JSONLimits(maximumDepth: 1_000)).kind == .array)
    }

    static let doubles: [Double] = [
        0, -0.0, 1, 1.5, 0.1, 1e20, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .pi, 9_007_199_254_740_992,
    ]

    @Test("Writes a double so that it round-trips", arguments: Self.doubles)
    func double(_ value: Double) throws {
        let parsed = try JSONValue(parsing: JSONNode.double(value).text()).double()
        #expect(parsed.bitPattern == value.bitPattern)
    }

    @Test("Writes a double that is not finite as null", arguments: [Double.infinity, -.infinity, .nan])
    func notFinite(_ value: Double) {
        #expect(JSONNode.double(value).text() == "null")
    }

    @Test("Writes integers exactly", arguments: [Int64.min, -1, 0, .max])
    func integer(_ value: Int64) throws {
        #expect(try JSONValue(parsing: JSONNode.integer(value).text()).integer(Int64.self) == value)
    }

    @Test("Writes pretty text with one line for each member and element")
    func pretty() throws {
        let node: JSONNode = ["a": [1, ["b": "c"]], "e": [], "o": [:]]
        let text = """
            {
              "a": [
                1,
                {
                  "b": "c"
                }
              ],
              "e": [],
              "o": {}
            }
            """
        #expect(node.text(pretty: true) == text)
        let parsed = try JSONValue(parsing: node.text())
        #expect(JSONNode.parsed(parsed).text(pretty: true) == text)
        #expect(try JSONValue(parsing: text) == parsed)
    }

    @Test("Writes a parsed value exactly as received")
    func parsed() throws {
        let value = try JSONValue(parsing: #"{"a": [1.50e400 , "\u0041"] }"#)
        let node: JSONNode = ["original": .parsed(value)]
        #expect(node.text() == #"{"original":{"a": [1.50e400 , "\u0041"] }}"#)
    }

    static let unusual = [
        "1e400", "-1e-400", "1234567890123456789012345678901234567890", "0.10000000000000000000000000000000000000001",
        "1.50E+1", "-0",
    ]

    @Test("Preserves the text of a number that fits no type", .covers(74), arguments: Self.unusual)
    func unreadNumber(_ number: String) throws {
        let value = try JSONValue(parsing: "{\"n\":\(number),\"list\":[\(number)]}")
        #expect(value["n"]?.numberText == number)
        #expect(JSONNode.parsed(value).text() == value.text)
        #expect(
            JSONNode.object([JSONMember(name: "m", value: .parsed(try value.member("n")))]).text()
                == "{\"m\":\(number)}"
        )
        let pretty = JSONNode.parsed(value).text(pretty: true)
        #expect(try JSONValue(parsing: pretty) == value)
    }
}
