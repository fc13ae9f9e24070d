// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestTraits
internal import Testing
internal import TesseraJSON

@Suite("JSON values")
struct JSONValueTests {
    @Test(
        "Each kind is read as itself and as nothing else",
        arguments: zip(JSONKind.allCases, ["null", "true", "1", "\"s\"", "[1]", "{\"a\":1}"])
    )
    func kind(_ kind: JSONKind, _ text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(value.kind == kind)
        #expect(value.isNull == (kind == .null))
        #expect((value.bool != nil) == (kind == .bool))
        #expect((value.numberText != nil) == (kind == .number))
        #expect((value.string != nil) == (kind == .string))
        #expect((value.elements != nil) == (kind == .array))
        #expect((value.members != nil) == (kind == .object))
    }

    @Test("Escapes in a string are resolved")
    func escapes() throws {
        let value = try JSONValue(parsing: #""a\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\uD83D\uDE00z""#)
        #expect(value.string == "a\"\\/\u{8}\u{C}\n\r\tA\u{E9}\u{20AC}\u{1F600}z")
        #expect(try JSONValue(parsing: #""\u0000""#).string == "\0")
    }

    @Test("Elements are walked in order, past everything that is inside them")
    func elements() throws {
        let value = try JSONValue(parsing: #"[1,[2,[3]],{"a":[4]},"5",[]]"#)
        #expect(value.elements?.map(\.text) == ["1", "[2,[3]]", #"{"a":[4]}"#, "\"5\"", "[]"])
        #expect(value.elements?.count == 5)
        #expect(try JSONValue(parsing: "[]").elements?.isEmpty == true)
    }

    static let equal: [(String, String)] = [
        ("null", " null "), (#""a""#, #""\u0061""#), (#"{"a":1,"b":[true]}"#, #"{ "b" : [ true ], "\u0061" : 1 }"#),
        ("[]", "[ ]"),
        ("{}", "{ }"),
    ]

    @Test("Values that mean the same are equal and hash the same", arguments: Self.equal)
    func equality(_ left: String, _ right: String) throws {
        let (left, right) = (try JSONValue(parsing: left), try JSONValue(parsing: right))
        #expect(left == right)
        #expect(Set([left, right]).count == 1)
    }

    static let unequal: [(String, String)] = [
        ("1", "1.0"), ("1", "\"1\""), ("[1,2]", "[2,1]"), ("[1]", "[1,1]"), (#"{"a":1}"#, #"{"a":2}"#),
        (#"{"a":1}"#, #"{"b":1}"#),
        (#"{"a":1}"#, #"{"a":1,"b":1}"#), ("true", "false"), ("[]", "{}"), ("null", "false"),
        ("\"\u{E9}\"", "\"e\u{301}\""),
    ]

    @Test("Values that mean something else are not equal", arguments: Self.unequal)
    func inequality(_ left: String, _ right: String) throws {
        #expect(try JSONValue(parsing: left) != JSONValue(parsing: right))
    }

    @Test("A value shows its shape and never its contents", .covers(124))
    func description() throws {
        let value = try JSONValue(parsing: #"{"access_token":"canary","list":["canary"]}"#)
        #expect(value.description == "object with 2 members")
        #expect(value["list"]?.description == "array with 1 element")
        #expect(value["access_token"]?.description == "string")
        let parts: [Any] = [value, value.members as Any, value["list"]?.elements as Any, value["access_token"] as Any]
        for part in parts {
            var dumped = ""
            dump(part, to: &dumped)
            for text in ["\(part)", String(reflecting: part), dumped] {
                #expect(!text.contains("canary"))
                #expect(!text.contains("99, 97, 110, 97, 114, 121"))
            }
        }
    }

    @Test("An error names its place and no contents", .covers(124))
    func error() {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: #"{"canary":1,"canary":2}"#) }
        #expect(error?.description == "JSON: an object has two members of the same name (at byte 12)")
    }
}
