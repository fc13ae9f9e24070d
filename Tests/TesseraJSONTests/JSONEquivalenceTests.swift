// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing
internal import TesseraJSON

@Suite("JSON equivalence")
struct JSONEquivalenceTests {
    private static func node(_ text: String) throws -> JSONNode { .parsed(try JSONValue(parsing: text)) }

    @Test(
        "Ignores member order, escapes and number notation",
        arguments: [
            (#"{"a":1,"b":[true,null]}"#, #"{"b":[true,null],"a":1e0}"#), (#""\u0061""#, #""a""#), ("1.50", "15e-1"),
            ("1e400", "1e400"), ("-1e999999999999", "-1e999999999999"), ("{}", "{}"), ("[]", "[]"), ("0", "-0"),
        ]
    )
    func same(_ left: String, _ right: String) throws {
        #expect(try Self.node(left).isEquivalent(to: Self.node(right)))
        #expect(try Self.node(right).isEquivalent(to: Self.node(left)))
    }

    @Test(
        "Distinguishes canonically equivalent strings and values of different kinds",
        arguments: [
            ("\"e\u{301}\"", "\"\u{E9}\""), ("{\"e\u{301}\":1}", "{\"\u{E9}\":1}"), ("1e400", "1e401"),
            ("1e400", "{}"), ("9007199254740993", "9007199254740992"), (#"{"a":1}"#, #"{"a":1,"b":1}"#),
            ("[1,2]", "[2,1]"), ("0", "false"), ("null", "{}"), ("\"1\"", "1"), ("{}", "[]"),
        ]
    )
    func different(_ left: String, _ right: String) throws {
        #expect(try !Self.node(left).isEquivalent(to: Self.node(right)))
        #expect(try !Self.node(right).isEquivalent(to: Self.node(left)))
    }

    @Test("Compares parsed and created objects with canonically equivalent names")
    func lookalikes() throws {
        let created = JSONNode.object([JSONMember(name: "e\u{301}", value: 1), JSONMember(name: "\u{E9}", value: 2)])
        #expect(try Self.node("{\"\u{E9}\":2,\"e\u{301}\":1}").isEquivalent(to: created))
        #expect(try created.isEquivalent(to: Self.node("{\"\u{E9}\":2,\"e\u{301}\":1}")))
    }

    @Test("Compares objects with 100,000 members in linear time", .timeLimit(.minutes(1)))
    func large() throws {
        let members = (0..<100_000).map { "\"\($0)\":0" }
        let node = try Self.node("{\(members.joined(separator: ","))}")
        let other = try Self.node("{\(members.reversed().joined(separator: ","))}")
        #expect(node.isEquivalent(to: other))
    }
}
