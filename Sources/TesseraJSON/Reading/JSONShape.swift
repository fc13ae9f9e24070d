// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The expected shape of an object, which specifies the kinds of values that its known members have.
///
/// Unknown members can have any value, and `null` is always accepted.
package final class JSONShape: Sendable {
    /// The expected kind of a value.
    package indirect enum Kind: Sendable {
        case any
        case bool
        /// A number, or a string that contains a number, for which the function returns true.
        case number(@Sendable (ArraySlice<UInt8>) -> Bool)
        case text
        case list(Kind)
        /// An object with arbitrary member names.
        case map(Kind)
        /// An object with another shape. A function returns the shape because shapes can refer to each other.
        case object(@Sendable () -> JSONShape)
    }

    /// A known member.
    package struct Field: Sendable {
        package let name: String
        package let kind: Kind

        package init(_ name: String, _ kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    /// The range of a field's name within `names`, along with the kinds of values that need no further check.
    struct Location: Sendable {
        let name: Range<Int>
        let passing: JSONKindSet
    }

    /// The fields in the order in which they were given.
    package let fields: [Field]
    let places: [Location]
    /// The concatenated UTF-8 bytes of all names.
    private let names: [UInt8]
    /// A hash table that maps marks to indices in `fields`.
    ///
    /// Empty slots contain −1. The size is a power of two, and at least half of the slots are empty.
    private let slots: [Int]

    /// Creates a shape with known members.
    package init(_ fields: [Field]) {
        self.fields = fields
        var names: [UInt8] = []
        var places: [Location] = []
        var count = 8
        while count < fields.count * 2 { count *= 2 }
        var slots = [Int](repeating: -1, count: count)
        for (location, field) in fields.enumerated() {
            let range = names.count..<names.count + field.name.utf8.count
            names += field.name.utf8
            places.append(Location(name: range, passing: field.kind.passing))
            let mark = names.withSpan { JSONNameHash.make($0, range) }
            var slot = Int(truncatingIfNeeded: mark) & (count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (count - 1) }
            slots[slot] = location
        }
        self.names = names
        self.places = places
        self.slots = slots
    }

    /// Returns the index in `fields` of a name with the given mark.
    @inline(__always)
    func location(of name: Span<UInt8>, _ mark: UInt32) -> Int? {
        var slot = Int(truncatingIfNeeded: mark) & (self.slots.count &- 1)
        while case let location = self.slots[slot], location >= 0 {
            if self.names.withSpan({ $0.extracting(self.places[location].name).isExactly(name) }) { return location }
            slot = (slot &+ 1) & (self.slots.count &- 1)
        }
        return nil
    }
}

/// A set of kinds of JSON values.
struct JSONKindSet: Sendable {
    private let bits: UInt8

    init(_ kinds: JSONKind...) { self.bits = kinds.reduce(0) { $0 | 1 << $1.rawValue } }

    @inline(__always)
    func contains(_ kind: JSONKind) -> Bool { self.bits & 1 << kind.rawValue != 0 }
}

extension JSONShape.Kind {
    /// The kinds of values that need no further check.
    fileprivate var passing: JSONKindSet {
        switch self {
        case .any: JSONKindSet(.null, .bool, .number, .string, .array, .object)
        case .bool: JSONKindSet(.null, .bool)
        case .text: JSONKindSet(.null, .string)
        case .number, .list, .map, .object: JSONKindSet(.null)
        }
    }
}

/// A value that does not have the expected shape.
package struct JSONMismatch: Error, Sendable, Hashable {
    /// The path of the value, such as `files[3].size`, or an empty string for the outermost value.
    package private(set) var path: String
    /// The expected kind, such as `an array`.
    package let expected: String
    /// The actual kind of the value.
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
    /// Checks a document against a shape.
    ///
    /// - Throws: ``JSONMismatch`` for the first mismatch.
    package func check(_ shape: JSONShape) throws(JSONMismatch) {
        guard self.kind == .object else { throw JSONMismatch(expected: "an object", actual: self.kind) }
        try self.tape.entries.withSpan { entries throws(JSONMismatch) in
            try self.tape.bytes.withSpan { source throws(JSONMismatch) in
                try self.tape.check(self.index, shape, entries, source)
            }
        }
    }
}

/// These functions take the entries and the text as spans so that they are accessed only once.
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
            if let location = Self.location(of: name, shape, source),
                !shape.places[location].passing.contains(value.kind)
            {
                do {
                    try self.check(member + 1, shape.fields[location].kind, entries, source)
                } catch {
                    throw error.within(shape.fields[location].name)
                }
            }
            member = value.isContainer ? Int(value.next) : member + 2
        }
    }

    private static func location(of name: Entry, _ shape: JSONShape, _ source: Span<UInt8>) -> Int? {
        guard name.flag else { return shape.location(of: source.extracting(name.content), name.next) }
        return JSONStringText.unescaped(source, name.content).withSpan { shape.location(of: $0, name.next) }
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
            throw JSONMismatch(expected: "a valid number", actual: entry.kind)
        case .text:
            if entry.kind == .string { return }
            throw JSONMismatch(expected: "a string", actual: entry.kind)
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
        guard entry.kind == .array else { throw JSONMismatch(expected: "an array", actual: entry.kind) }
        var (element, location) = (list + 1, 0)
        while element < Int(entry.next) {
            do {
                try self.check(element, kind, entries, source)
            } catch {
                throw error.within("[\(location)]")
            }
            element = self.following(element)
            location += 1
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

    /// Returns the bytes of a string with its escapes resolved.
    private func text(_ entry: Entry) -> ArraySlice<UInt8> {
        let bytes = self.bytes
        guard entry.flag else { return bytes[entry.content] }
        return bytes.withSpan { JSONStringText.unescaped($0, entry.content)[...] }
    }
}
