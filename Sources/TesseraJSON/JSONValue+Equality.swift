// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension JSONValue: Hashable {
    /// Whether two values mean the same, whatever their whitespace, escapes and order of members.
    ///
    /// Numbers are compared as they are written: `1` and `1.0` differ.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.kind == right.kind else { return false }
        switch left.kind {
        case .null: return true
        case .bool: return left.entry.flag == right.entry.flag
        case .number: return left.bytes == right.bytes
        case .string: return left.stringBytes == right.stringBytes
        case .array:
            guard let some = left.elements, let others = right.elements else { return false }
            return some.count == others.count && zip(some, others).allSatisfy { $0 == $1 }
        case .object:
            let (some, others) = (left.orderedMembers, right.orderedMembers)
            return some.count == others.count
                && zip(some, others).allSatisfy { $0.name == $1.name && $0.value == $1.value }
        }
    }

    /// Hashes the kind, and the text of a scalar or the size of an array or object.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.kind)
        switch self.kind {
        case .null: break
        case .bool: hasher.combine(self.entry.flag)
        case .number: hasher.combine(self.bytes)
        case .string: hasher.combine(self.stringBytes)
        case .array, .object: hasher.combine(self.entry.count)
        }
    }

    private var stringBytes: [UInt8] {
        let (entry, bytes) = (self.entry, self.tape.bytes)
        guard entry.flag else { return Array(bytes[entry.content]) }
        return bytes.withSpan { JSONStringText.unescaped($0, entry.content) }
    }

    private var orderedMembers: [(name: [UInt8], value: JSONValue)] {
        guard let members = self.members else { return [] }
        return members.indices
            .map { index in
                (JSONValue(self.tape, index.entry).stringBytes, JSONValue(self.tape, index.entry + 1))
            }
            .sorted { $0.name.lexicographicallyPrecedes($1.name) }
    }
}
