// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestTraits
internal import Testing
internal import TesseraJSON

@Suite("JSON limits")
struct JSONLimitsTests {
    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test("Rejects a document at the first bracket beyond the maximum depth", .covers(6), .shows(claims: 38))
    func depth() throws {
        _ = try JSONValue(parsing: Self.nested(128))
        #expect(throws: JSONError(.tooDeep, offset: 128)) { try JSONValue(parsing: Self.nested(129)) }
        #expect(throws: JSONError(.tooDeep, offset: 128)) { try JSONValue(parsing: Self.nested(513)) }
        #expect(throws: JSONError(.tooDeep, offset: 128)) { try JSONValue(parsing: String(repeating: "[", count: 513)) }
        let objects = String(repeating: "{\"a\":", count: 513) + "1" + String(repeating: "}", count: 513)
        #expect(throws: JSONError(.tooDeep, offset: 640)) { try JSONValue(parsing: objects) }
    }

    @Test("Closed arrays do not count toward the depth")
    func width() throws {
        let limits = JSONLimits(maximumDepth: 2)
        _ = try JSONValue(parsing: "[[],[],{},[]]", limits: limits)
        #expect(throws: JSONError(.tooDeep, offset: 2)) { try JSONValue(parsing: "[[[]]]", limits: limits) }
        #expect(throws: JSONError(.tooDeep, offset: 0)) {
            try JSONValue(parsing: "[]", limits: JSONLimits(maximumDepth: -1))
        }
        _ = try JSONValue(parsing: "1", limits: JSONLimits(maximumDepth: 0))
    }

    @Test("Limits the nesting depth to 1,024 levels for any setting")
    func deepest() throws {
        let limits = JSONLimits(maximumDepth: .max)
        let value = try JSONValue(parsing: Self.nested(1_024), limits: limits)
        #expect(try value == JSONValue(parsing: Self.nested(1_024), limits: limits))
        #expect(JSONNode.parsed(value).serialized(pretty: true).count > 1_024)
        #expect(throws: JSONError(.tooDeep, offset: 1_024)) {
            try JSONValue(parsing: Self.nested(1_025), limits: limits)
        }
    }

    @Test("Parses 10 MB by default and rejects it with a smaller limit", .covers(6))
    func size() throws {
        let body = Array("[\"\(String(repeating: "x", count: 10_000_000))\"]".utf8)
        #expect(try JSONValue(parsing: body)[0]?.string?.utf8.count == 10_000_000)
        #expect(throws: JSONError(.tooLarge, offset: 1 << 20)) {
            try JSONValue(parsing: body, limits: JSONLimits(maximumBytes: 1 << 20))
        }
        #expect(throws: JSONError(.tooLarge, offset: 0)) {
            try JSONValue(parsing: "1", limits: JSONLimits(maximumBytes: -5))
        }
    }
}
