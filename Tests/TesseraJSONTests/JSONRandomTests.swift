// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestTraits
internal import Testing
internal import TesseraJSON

@Suite("JSON fuzzing")
struct JSONRandomTests {
    @Test("Round-trips random values")
    func roundTrip() throws {
        let seed = TestSeed.printed()
        var random = SeededGenerator(seed: seed)
        for round in 0..<500 {
            let node = random.node(depth: 4)
            for pretty in [false, true] {
                let value = try JSONValue(parsing: node.serialized(pretty: pretty))
                #expect(Self.same(node, value), "seed \(seed), round \(round): \(node.text())")
                #expect(
                    try JSONValue(parsing: JSONNode.parsed(value).serialized(pretty: true)) == value,
                    "seed \(seed)"
                )
            }
        }
    }

    @Test("Parses or rejects 20,000 damaged texts without a trap", .covers(125))
    func mutation() {
        let seed = TestSeed.printed()
        var random = SeededGenerator(seed: seed)
        let letters = Array("{}[]:,\"\\u0dDeE+-.19tfn \u{1}é".utf8) + [0x80, 0xC0, 0xED, 0xF4, 0xFF]
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = random.node(depth: 3).serialized(pretty: Bool.random(using: &random))
            for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                let location = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[location] = letters.randomElement(using: &random) ?? 0
                case 1: bytes.remove(at: location)
                default: bytes.removeSubrange(location...)
                }
            }
            guard let value = try? JSONValue(parsing: bytes) else { continue }
            accepted += 1
            Self.visit(value)
        }
        #expect((1..<20_000).contains(accepted), "seed \(seed)")
    }

    /// Calls every accessor of a value and its descendants.
    private static func visit(_ value: JSONValue) {
        _ = try? value.integer(Int8.self)
        _ = try? value.integer(UInt64.self)
        _ = try? value.double()
        _ = (value.string, value.bool, value.text, value.description, value.hashValue, value["a"], value[1])
        if let elements = value.elements {
            for element in elements { Self.visit(element) }
        }
        if let members = value.members {
            for (name, member) in members {
                #expect(value[name] == member)
                Self.visit(member)
            }
        }
    }

    private static func same(_ node: JSONNode, _ value: JSONValue) -> Bool {
        switch node {
        case .null: return value.isNull
        case .bool(let bool): return value.bool == bool
        case .integer(let integer): return (try? value.integer(Int64.self)) == integer
        case .double(let double): return (try? value.double()) == double
        case .string(let string): return value.string.map { Array($0.utf8) } == Array(string.utf8)
        case .array(let nodes):
            guard let elements = value.elements, elements.count == nodes.count else { return false }
            return zip(nodes, elements).allSatisfy(Self.same)
        case .object(let nodes):
            guard let members = value.members, members.count == nodes.count else { return false }
            return zip(nodes, members)
                .allSatisfy { node, member in
                    Array(node.name.utf8) == Array(member.name.utf8) && Self.same(node.value, member.value)
                }
        case .parsed(let other): return value == other
        }
    }
}
