// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The elements of a JSON array, in order.
public struct JSONElements: Collection, Sendable {
    /// A place in the array.
    public struct Index: Comparable, Hashable, Sendable {
        let entry: Int

        /// Whether a place comes before another.
        public static func < (left: Self, right: Self) -> Bool { left.entry < right.entry }
    }

    private let array: JSONValue

    init(of array: JSONValue) { self.array = array }

    /// How many elements there are, in constant time.
    public var count: Int { self.array.entry.count }
    /// Whether there is no element.
    public var isEmpty: Bool { self.count == 0 }
    /// The place of the first element.
    public var startIndex: Index { Index(entry: self.array.index + 1) }
    /// The place after the last element.
    public var endIndex: Index { Index(entry: Int(self.array.entry.next)) }
    /// The next place, in constant time.
    public func index(after index: Index) -> Index { Index(entry: self.array.tape.following(index.entry)) }
    /// The element at a place.
    public subscript(position: Index) -> JSONValue { JSONValue(self.array.tape, position.entry) }
}

extension JSONElements: Redacted {
    /// Only the shape: the contents may be tokens.
    public var description: String { self.array.description }
}

/// The members of a JSON object, in the order of the text.
///
/// No two have the same name.
public struct JSONMembers: Collection, Sendable {
    /// A place in the object.
    public struct Index: Comparable, Hashable, Sendable {
        let entry: Int

        /// Whether a place comes before another.
        public static func < (left: Self, right: Self) -> Bool { left.entry < right.entry }
    }

    private let object: JSONValue

    init(of object: JSONValue) { self.object = object }

    /// How many members there are, in constant time.
    public var count: Int { self.object.entry.count }
    /// Whether there is no member.
    public var isEmpty: Bool { self.count == 0 }
    /// The place of the first member.
    public var startIndex: Index { Index(entry: self.object.index + 1) }
    /// The place after the last member.
    public var endIndex: Index { Index(entry: Int(self.object.entry.next)) }
    /// The next place, in constant time.
    public func index(after index: Index) -> Index { Index(entry: self.object.tape.following(index.entry + 1)) }
    /// The member at a place.
    public subscript(position: Index) -> (name: String, value: JSONValue) {
        (self.object.tape.string(position.entry), JSONValue(self.object.tape, position.entry + 1))
    }
}

extension JSONMembers: Redacted {
    /// Only the shape: the contents may be tokens.
    public var description: String { self.object.description }
}
