// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What an object should look like: for each member that is known by name, what its value may be.
///
/// Unknown members may be anything, and `null` may stand everywhere.
package final class JSONShape: Sendable {
    /// What a value may be.
    package indirect enum Kind: Sendable {
        case any
        case bool
        /// A number, or a text of one, that passes.
        case number(@Sendable (ArraySlice<UInt8>) -> Bool)
        case text
        case list(Kind)
        /// An object with any names.
        case map(Kind)
        /// Asked for when it is needed: shapes hold each other.
        case object(@Sendable () -> JSONShape)
    }

    /// A member that is known.
    package struct Field: Sendable {
        package let name: String
        package let kind: Kind
        let bytes: [UInt8]

        package init(_ name: String, _ kind: Kind) {
            self.name = name
            self.kind = kind
            self.bytes = Array(name.utf8)
        }
    }

    /// In the order of the names.
    package let fields: [Field]
    /// Places in `fields` by mark, with holes; a power of two, at least half empty.
    private let slots: [Int]

    /// A shape with these members.
    package init(_ fields: [Field]) {
        self.fields = fields
        var count = 8
        while count < fields.count * 2 { count *= 2 }
        var slots = [Int](repeating: -1, count: count)
        for (place, field) in fields.enumerated() {
            let mark = field.bytes.withSpan { JSONNameMark.make($0, field.bytes.indices) }
            var slot = Int(truncatingIfNeeded: mark) & (count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (count - 1) }
            slots[slot] = place
        }
        self.slots = slots
    }

    /// The field of that name, whose mark is known.
    func field(_ name: Span<UInt8>, _ mark: UInt32) -> Field? {
        var slot = Int(truncatingIfNeeded: mark) & (self.slots.count - 1)
        while self.slots[slot] >= 0 {
            let field = self.fields[self.slots[slot]]
            if field.bytes.withSpan({ $0.isExactly(name) }) { return field }
            slot = (slot + 1) & (self.slots.count - 1)
        }
        return nil
    }
}
