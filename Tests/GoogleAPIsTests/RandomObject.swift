// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TestTraits

/// Creates random valid objects of a shape, with values in the format that Tessera writes.
struct RandomObject {
    private var random: SeededGenerator

    init(seed: UInt64) { self.random = SeededGenerator(seed: seed) }

    /// Returns an object with all or some members of its shape, and with an unknown member if it is nested.
    mutating func object(_ shape: APIShape, depth: Int = 0) -> JSONNode {
        var members: [JSONMember] = []
        for line in shape.lines.split(separator: "\n") {
            guard let colon = line.firstRange(of: ": "), depth == 0 || self.next(3) == 0 else { continue }
            let kind = String(line[colon.upperBound...])
            guard let value = self.value(kind, shape, depth + 1) else { continue }
            members.append(JSONMember(name: String(line[..<colon.lowerBound]), value: value))
        }
        if depth > 0 { members.append(JSONMember(name: "x-unknown", value: .integer(Int64(self.next(1_000))))) }
        return .object(members)
    }

    /// Returns a value of a kind, or nil if objects would be nested too deeply.
    private mutating func value(_ kind: String, _ shape: APIShape, _ depth: Int) -> JSONNode? {
        if kind.hasPrefix("[") || kind.hasPrefix("{") {
            let inner = String(kind.dropFirst().dropLast())
            var values: [JSONNode] = []
            for _ in 0..<self.next(3) { if let value = self.value(inner, shape, depth + 1) { values.append(value) } }
            guard kind.hasPrefix("{") else { return .array(values) }
            return .object(values.enumerated().map { JSONMember(name: "k\($0.offset)\"ä", value: $0.element) })
        }
        switch kind {
        case "string": return .string(["", "ä€🙂", "a\"b\\c\n", "\u{1}", "word"][self.next(5)])
        case "bool": return .bool(self.next(2) == 0)
        case "int32": return .integer([0, -1, Int64(Int32.max), Int64(Int32.min)][self.next(4)])
        case "uint32": return .integer([0, 1, Int64(UInt32.max)][self.next(3)])
        case "int64": return .string(["0", "9223372036854775807", "-9223372036854775808"][self.next(3)])
        case "uint64": return .string(["0", "18446744073709551615"][self.next(2)])
        case "double":
            return [.double(1.5), .double(-1e300), .integer(3), .string("NaN"), .string("-Infinity")][self.next(5)]
        case "bytes": return .string(["", "AQI=", "-_8=", "AQID"][self.next(4)])
        case "timestamp": return .string(["2026-11-23T10:00:00Z", "1969-01-01T00:00:00.000000001+01:00"][self.next(2)])
        case "date": return .string("2024-02-29")
        case "duration": return .string(["0s", "-3.500s"][self.next(2)])
        case "mask": return .string("a,b.c")
        case "any": return [.null, .object([]), .array([.integer(1)]), .string("x")][self.next(4)]
        default:
            guard let object = shape.objects[kind], depth < 6 else { return nil }
            return self.object(object.shape, depth: depth)
        }
    }

    /// Returns a number below a bound.
    private mutating func next(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self.random) }
}
