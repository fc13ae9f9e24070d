// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Oracles
internal import TesseraJSON

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(Array(fuzzing: start, count))
    return 0
}

/// Compares the parser with a second one and with Foundation, and checks that serialized values parse to equal values.
private func check(_ bytes: [UInt8]) {
    let depth = 64
    let value = try? JSONValue(parsing: bytes, limits: JSONLimits(maximumDepth: depth))
    let plain = PlainJSON(bytes, depth: depth)
    expect((value == nil) == (plain == nil), "both readers accept or reject the text")
    guard let value, let plain else { return }
    expect(rebuilt(value, as: plain), "both readers return the same value")
    for written in [
        JSONNode.parsed(value).serialized(), JSONNode.parsed(value).serialized(pretty: true), node(plain).serialized(),
    ] {
        let again = try? JSONValue(parsing: written)
        expect(again == value && again?.hashValue == value.hashValue, "a serialized value parses to an equal value")
    }
    expect(foundationReads(bytes, plain), "Foundation accepts the text")
}

/// Returns whether Foundation accepts the text, or true if it contains a large number.
///
/// Foundation rejects numbers outside the range of `Double`. It treats text with NUL bytes as UTF-16 or UTF-32, but
/// such text is not valid JSON in UTF-8.
private func foundationReads(_ bytes: [UInt8], _ plain: PlainJSON) -> Bool {
    if hasLargeNumber(plain) { return true }
    return (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
}

private func hasLargeNumber(_ value: PlainJSON) -> Bool {
    switch value {
    case .number(let text): text.utf8.count > 17 || text.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") }
    case .array(let elements): elements.contains(where: hasLargeNumber)
    case .object(let members): members.contains { hasLargeNumber($0.value) }
    default: false
    }
}

/// Compares both values recursively, using every accessor.
private func rebuilt(_ value: JSONValue, as plain: PlainJSON) -> Bool {
    switch plain {
    case .null: return value.isNull
    case .bool(let bool): return value.bool == bool
    case .number(let text): return value.numberText == text && isNumber(value, text)
    case .string(let bytes): return value.string.map { Array($0.utf8) } == bytes
    case .array(let elements):
        guard let others = value.elements, others.count == elements.count else { return false }
        return zip(others, elements).allSatisfy(rebuilt) && value[elements.count] == nil
    case .object(let members):
        guard let others = value.members, others.count == members.count else { return false }
        return zip(others, members)
            .allSatisfy { other, member in
                Array(other.name.utf8) == member.name && value[other.name] == other.value
                    && rebuilt(other.value, as: member.value)
            }
    }
}

/// Compares a number with the standard library's result.
private func isNumber(_ value: JSONValue, _ text: String) -> Bool {
    let integer = try? value.integer(Int64.self)
    let double = try? value.double()
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2D }), integer != Int64(text) { return false }
    // Every integer up to 2⁵³ has an exact `Double` value.
    if let integer, let double, integer.magnitude < 1 << 53 { return Double(integer) == double }
    return double == Double(text).flatMap { $0.isFinite ? $0 : nil }
}

private func node(_ plain: PlainJSON) -> JSONNode {
    switch plain {
    case .null: .null
    case .bool(let bool): .bool(bool)
    case .number(let text): (try? JSONValue(parsing: text)).map { .parsed($0) } ?? .null
    case .string(let bytes): .string(String(decoding: bytes, as: UTF8.self))
    case .array(let elements): .array(elements.map(node))
    case .object(let members):
        .object(members.map { JSONMember(name: String(decoding: $0.name, as: UTF8.self), value: node($0.value)) })
    }
}
