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

        package init(_ name: String, _ kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    /// Where a field's name is among the bytes of all names, and the kinds that its value may have if that is all there is to
    /// check.
    struct Place: Sendable {
        let name: Range<Int>
        let passing: JSONKindSet
    }

    /// In the order of the names.
    package let fields: [Field]
    let places: [Place]
    /// The UTF-8 of all names.
    private let names: [UInt8]
    /// Places in `fields` by mark, with holes; a power of two, at least half empty.
    private let slots: [Int]

    /// A shape with these members.
    package init(_ fields: [Field]) {
        self.fields = fields
        var names: [UInt8] = []
        var places: [Place] = []
        var count = 8
        while count < fields.count * 2 { count *= 2 }
        var slots = [Int](repeating: -1, count: count)
        for (place, field) in fields.enumerated() {
            let range = names.count..<names.count + field.name.utf8.count
            names += field.name.utf8
            places.append(Place(name: range, passing: field.kind.passing))
            let mark = names.withSpan { JSONNameMark.make($0, range) }
            var slot = Int(truncatingIfNeeded: mark) & (count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (count - 1) }
            slots[slot] = place
        }
        self.names = names
        self.places = places
        self.slots = slots
    }

    /// The place in `fields` of that name, whose mark is known.
    @inline(__always)
    func place(of name: Span<UInt8>, _ mark: UInt32) -> Int? {
        var slot = Int(truncatingIfNeeded: mark) & (self.slots.count &- 1)
        while case let place = self.slots[slot], place >= 0 {
            if self.names.withSpan({ $0.extracting(self.places[place].name).isExactly(name) }) { return place }
            slot = (slot &+ 1) & (self.slots.count &- 1)
        }
        return nil
    }
}

/// Some kinds of JSON values.
struct JSONKindSet: Sendable {
    private let bits: UInt8

    init(_ kinds: JSONKind...) { self.bits = kinds.reduce(0) { $0 | 1 << $1.rawValue } }

    @inline(__always)
    func contains(_ kind: JSONKind) -> Bool { self.bits & 1 << kind.rawValue != 0 }
}

extension JSONShape.Kind {
    /// The kinds of values that pass without a further look.
    fileprivate var passing: JSONKindSet {
        switch self {
        case .any: JSONKindSet(.null, .bool, .number, .string, .array, .object)
        case .bool: JSONKindSet(.null, .bool)
        case .text: JSONKindSet(.null, .string)
        case .number, .list, .map, .object: JSONKindSet(.null)
        }
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
        try self.tape.entries.withSpan { entries throws(JSONMismatch) in
            try self.tape.bytes.withSpan { source throws(JSONMismatch) in
                try self.tape.check(self.index, shape, entries, source)
            }
        }
    }
}

/// The entries and the text are passed along, so that no step has to ask for them again.
extension JSONTape {
    fileprivate func check(
        _ object: Int,
        _ shape: JSONShape,
        _ entries: Span<Entry>,
        _ source: Span<UInt8>
    ) throws(JSONMismatch) {
        let end = Int(entries[object].next)
        var member = object + 1
        while member < end {
            let (name, value) = (entries[member], entries[member + 1])
            if let place = Self.place(of: name, shape, source), !shape.places[place].passing.contains(value.kind) {
                do {
                    try self.check(member + 1, shape.fields[place].kind, entries, source)
                } catch {
                    throw error.within(shape.fields[place].name)
                }
            }
            member = value.isContainer ? Int(value.next) : member + 2
        }
    }

    private static func place(of name: Entry, _ shape: JSONShape, _ source: Span<UInt8>) -> Int? {
        guard name.flag else { return shape.place(of: source.extracting(name.content), name.next) }
        return JSONStringText.unescaped(source, name.content).withSpan { shape.place(of: $0, name.next) }
    }

    private func check(
        _ index: Int,
        _ kind: JSONShape.Kind,
        _ entries: Span<Entry>,
        _ source: Span<UInt8>
    ) throws(JSONMismatch) {
        let entry = entries[index]
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
        case .list(let kind): try self.checkList(index, kind, entries, source)
        case .map(let kind): try self.checkMap(index, kind, entries, source)
        case .object(let shape):
            guard entry.kind == .object else { throw JSONMismatch(expected: "an object", actual: entry.kind) }
            try self.check(index, shape(), entries, source)
        }
    }

    private func checkList(
        _ list: Int,
        _ kind: JSONShape.Kind,
        _ entries: Span<Entry>,
        _ source: Span<UInt8>
    ) throws(JSONMismatch) {
        let entry = entries[list]
        guard entry.kind == .array else { throw JSONMismatch(expected: "a list", actual: entry.kind) }
        var (element, place) = (list + 1, 0)
        while element < Int(entry.next) {
            do {
                try self.check(element, kind, entries, source)
            } catch {
                throw error.within("[\(place)]")
            }
            element = self.following(element)
            place += 1
        }
    }

    private func checkMap(
        _ map: Int,
        _ kind: JSONShape.Kind,
        _ entries: Span<Entry>,
        _ source: Span<UInt8>
    ) throws(JSONMismatch) {
        let entry = entries[map]
        guard entry.kind == .object else { throw JSONMismatch(expected: "an object", actual: entry.kind) }
        var member = map + 1
        while member < Int(entry.next) {
            do {
                try self.check(member + 1, kind, entries, source)
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
