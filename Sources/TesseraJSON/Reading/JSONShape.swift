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

/// Where a document has another shape than it should.
package struct JSONMismatch: Error, Sendable, Hashable {
    /// The way to the value, such as `files[3].size`; empty for the outermost.
    package private(set) var path: String
    /// What should be there, such as `a list`.
    package let expected: String
    /// What is there.
    package let actual: JSONKind

    init(expected: String, actual: JSONKind) {
        self.path = ""
        self.expected = expected
        self.actual = actual
    }

    func within(_ name: String) -> Self {
        var mismatch = self
        mismatch.path = self.path.isEmpty || self.path.hasPrefix("[") ? name + self.path : name + "." + self.path
        return mismatch
    }
}

extension JSONValue {
    /// Looks through everything that the shape knows.
    ///
    /// - Throws: the first value that is none of what may stand there.
    package func check(_ shape: JSONShape) throws(JSONMismatch) {
        guard self.kind == .object else { throw JSONMismatch(expected: "an object", actual: self.kind) }
        try self.tape.check(self.index, shape)
    }
}

extension JSONTape {
    fileprivate func check(_ object: Int, _ shape: JSONShape) throws(JSONMismatch) {
        let end = Int(self.entries[object].next)
        var member = object + 1
        while member < end {
            if let field = self.field(self.entries[member], shape) {
                do {
                    try self.check(member + 1, field.kind)
                } catch {
                    throw error.within(field.name)
                }
            }
            member = self.following(member + 1)
        }
    }

    private func field(_ name: Entry, _ shape: JSONShape) -> JSONShape.Field? {
        let bytes = self.bytes
        guard name.flag else {
            return bytes.withSpan { shape.field($0.extracting(name.content), name.next) }
        }
        let unescaped = bytes.withSpan { JSONStringText.unescaped($0, name.content) }
        return unescaped.withSpan { shape.field($0, name.next) }
    }

    private func check(_ index: Int, _ kind: JSONShape.Kind) throws(JSONMismatch) {
        let entry = self.entries[index]
        if entry.kind == .null { return }
        switch kind {
        case .any: return
        case .bool:
            if entry.kind == .bool { return }
            throw JSONMismatch(expected: "true or false", actual: entry.kind)
        case .number(let passes):
            if entry.kind == .number, passes(self.bytes[entry.range]) { return }
            if entry.kind == .string, passes(self.text(entry)) { return }
            throw JSONMismatch(expected: "a number that fits", actual: entry.kind)
        case .text:
            if entry.kind == .string { return }
            throw JSONMismatch(expected: "a text", actual: entry.kind)
        case .list(let kind): try self.checkList(index, kind)
        case .map(let kind): try self.checkMap(index, kind)
        case .object(let shape):
            guard entry.kind == .object else { throw JSONMismatch(expected: "an object", actual: entry.kind) }
            try self.check(index, shape())
        }
    }

    private func checkList(_ list: Int, _ kind: JSONShape.Kind) throws(JSONMismatch) {
        let entry = self.entries[list]
        guard entry.kind == .array else { throw JSONMismatch(expected: "a list", actual: entry.kind) }
        var (element, place) = (list + 1, 0)
        while element < Int(entry.next) {
            do {
                try self.check(element, kind)
            } catch {
                throw error.within("[\(place)]")
            }
            element = self.following(element)
            place += 1
        }
    }

    private func checkMap(_ map: Int, _ kind: JSONShape.Kind) throws(JSONMismatch) {
        let entry = self.entries[map]
        guard entry.kind == .object else { throw JSONMismatch(expected: "an object", actual: entry.kind) }
        var member = map + 1
        while member < Int(entry.next) {
            do {
                try self.check(member + 1, kind)
            } catch {
                throw error.within(self.string(member))
            }
            member = self.following(member + 1)
        }
    }

    /// A string's bytes with its escapes resolved.
    private func text(_ entry: Entry) -> ArraySlice<UInt8> {
        let bytes = self.bytes
        guard entry.flag else { return bytes[entry.content] }
        return bytes.withSpan { JSONStringText.unescaped($0, entry.content)[...] }
    }
}
