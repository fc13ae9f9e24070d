// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestTraits
internal import Testing
internal import TesseraJSON

@Suite("JSON objects")
struct JSONMemberTests {
    static let duplicates: [String] = [
        #"{"a":1,"a":2}"#, #"{"a":1,"b":2,"a":1}"#, #"{"":1,"":2}"#, #"{"issuer":"x","\u0069ssuer":"y"}"#,
        #"{"\u0061":1,"\u0061":2}"#,
        #"{"\/":1,"/":2}"#, #"[{"b":{"a":1,"a":2}}]"#, #"{"😀":1,"\uD83D\uDE00":2}"#, #"{"a":{"b":1},"a":[]}"#,
        #"{"access_token":"x","token_type":"Bearer","access_token":"y"}"#,
    ]

    @Test(
        "Rejects an object with duplicate members, even if escapes hide them",
        .covers(12, 77, 96),
        arguments: Self.duplicates
    )
    func duplicate(_ text: String) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.code == .duplicateMember)
    }

    static let distinct: [String] = [
        #"{"a":1,"A":2}"#, #"{"a":{"a":{"a":1}}}"#, #"[{"a":1},{"a":2}]"#, "{\"\u{E9}\":1,\"e\u{301}\":2}",
        #"{"a":1,"a ":2,"a\u0000":3}"#,
        #"{"abcdefgh1xyz":1,"abcdefgh2xyz":2}"#,
    ]

    @Test("Distinguishes names that differ in one code point", arguments: Self.distinct)
    func different(_ text: String) throws {
        _ = try JSONValue(parsing: text)
    }

    @Test("Finds a duplicate in objects of any size", arguments: [2, 3, 31, 32, 33, 34, 100, 1_000])
    func size(_ count: Int) throws {
        let members = (0..<count).map { "\"name\($0)\":\($0)" }
        let value = try JSONValue(parsing: "{\(members.joined(separator: ","))}")
        #expect(value.members?.count == count)
        for location in [0, count / 2, count - 1] {
            let text = "{\((members + ["\"n\\u0061me\(location)\":0"]).joined(separator: ","))}"
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
            #expect(error?.code == .duplicateMember)
        }
    }

    @Test(
        "Distinguishes names with equal lengths and ends, and finds a duplicate",
        .covers(12),
        arguments: [2, 20, 32, 33, 40]
    )
    func alike(count: Int) throws {
        let names = (0..<count).map { "\"name-\(100 + $0)-name\"" }
        let members = names.map { $0 + ":{\"a\":[1,{}]}" }
        let value = try JSONValue(parsing: "{\(members.joined(separator: ","))}")
        #expect(value.members?.count == count)
        #expect(try value.member("name-\(99 + count)-name")["a"]?[0]?.integer() == 1)
        #expect(value["name-\(100 + count)-name"] == nil)
        for name in [names[0], names[count - 1]] {
            let text = "{\((members + [name + ":0"]).joined(separator: ","))}"
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
            #expect(error?.code == .duplicateMember)
            #expect(error?.offset == text.utf8.count - name.utf8.count - 3)
        }
    }

    @Test("Parses an object with 100,000 members and finds a duplicate among them")
    func large() throws {
        let members = (0..<100_000).map { "\"\($0)\":0" }.joined(separator: ",")
        #expect(try JSONValue(parsing: "{\(members)}").members?.count == 100_000)
        #expect(throws: JSONError.self) { try JSONValue(parsing: "{\(members),\"77\":1}") }
    }

    @Test(
        "Distinguishes long names with equal ends, and finds a duplicate",
        arguments: [2, 9, 32]
    )
    func similarNames(count: Int) throws {
        let middle = String(repeating: "m", count: 10_000)
        let members = (10..<10 + count).map { "\"name\(middle)\($0)\\u0065name\":0" }
        #expect(try JSONValue(parsing: "{\(members.joined(separator: ","))}").members?.count == count)
        for member in [members[0], members[count - 1]] {
            let error = #expect(throws: JSONError.self) {
                try JSONValue(parsing: "{\(members.dropLast().joined(separator: ",")),\(member),\(member)}")
            }
            #expect(error?.code == .duplicateMember)
        }
    }

    @Test("Returns members in text order and by name")
    func access() throws {
        let value = try JSONValue(parsing: #"{"b":1,"\u0061":{"x":[1,{"y":2}]},"c":"z"}"#)
        #expect(value.members?.map(\.name) == ["b", "a", "c"])
        #expect(try value["a"]?["x"]?[1]?["y"]?.integer() == 2)
        #expect(value["c"]?.string == "z")
        #expect(value["d"] == nil)
        #expect(value["x"] == nil)
        #expect(value["b"]?["a"] == nil)
        #expect(value["a"]?["x"]?[2] == nil)
        #expect(value["a"]?["x"]?[-1] == nil)
        #expect(value["a"]?["x"]?["y"] == nil)
        #expect(value[0] == nil)
    }

    @Test("Throws for a missing member")
    func missing() throws {
        let value = try JSONValue(parsing: #" {"a":[]}"#)
        #expect(try value.member("a").kind == .array)
        #expect(throws: JSONError(.missingMember, offset: 1)) { try value.member("b") }
        #expect(throws: JSONError(.wrongKind, offset: 6)) { try value.member("a").member("b") }
    }
}
