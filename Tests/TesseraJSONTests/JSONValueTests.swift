// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestTraits
internal import Testing
internal import TesseraJSON

@Suite("JSON values")
struct JSONValueTests {
    @Test(
        "Reads each value as its own kind only",
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

    @Test("Resolves escapes in a string")
    func escapes() throws {
        let value = try JSONValue(parsing: #""a\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\uD83D\uDE00z""#)
        #expect(value.string == "a\"\\/\u{8}\u{C}\n\r\tA\u{E9}\u{20AC}\u{1F600}z")
        #expect(try JSONValue(parsing: #""\u0000""#).string == "\0")
    }

    @Test("Returns elements in order and skips their contents")
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

    @Test("Equivalent values are equal and have equal hashes", arguments: Self.equal)
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

    @Test("Different values are not equal", arguments: Self.unequal)
    func inequality(_ left: String, _ right: String) throws {
        #expect(try JSONValue(parsing: left) != JSONValue(parsing: right))
    }

    @Test("The description of a value contains its shape but not its contents", .covers(124))
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

    @Test("The description of an error contains the byte offset but no contents", .covers(124))
    func error() {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: #"{"canary":1,"canary":2}"#) }
        #expect(error?.description == "JSON: an object has two members of the same name (at byte 12)")
    }
}
