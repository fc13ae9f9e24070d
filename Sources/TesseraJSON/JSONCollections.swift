// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The elements of a JSON array, in order.
public struct JSONElements: Collection, Sendable {
    /// A position in the array.
    public struct Index: Comparable, Hashable, Sendable {
        let entry: Int

        /// Returns whether one position precedes another.
        public static func < (left: Self, right: Self) -> Bool { left.entry < right.entry }
    }

    private let array: JSONValue

    init(of array: JSONValue) { self.array = array }

    /// The number of elements.
    ///
    /// - Complexity: O(1)
    public var count: Int { self.array.entry.count }
    /// Whether the array has no elements.
    public var isEmpty: Bool { self.count == 0 }
    /// The position of the first element.
    public var startIndex: Index { Index(entry: self.array.index + 1) }
    /// The position after the last element.
    public var endIndex: Index { Index(entry: Int(self.array.entry.next)) }
    /// Returns the position after the given position.
    ///
    /// - Complexity: O(1)
    public func index(after index: Index) -> Index { Index(entry: self.array.tape.following(index.entry)) }
    /// The element at the given position.
    public subscript(position: Index) -> JSONValue { JSONValue(self.array.tape, position.entry) }
}

extension JSONElements: Redacted {
    /// A description that contains only the number of elements, because the contents may include tokens.
    public var description: String { self.array.description }
}

/// The members of a JSON object, in document order and with distinct names.
public struct JSONMembers: Collection, Sendable {
    /// A position in the object.
    public struct Index: Comparable, Hashable, Sendable {
        let entry: Int

        /// Returns whether one position precedes another.
        public static func < (left: Self, right: Self) -> Bool { left.entry < right.entry }
    }

    private let object: JSONValue

    init(of object: JSONValue) { self.object = object }

    /// The number of members.
    ///
    /// - Complexity: O(1)
    public var count: Int { self.object.entry.count }
    /// Whether the object has no members.
    public var isEmpty: Bool { self.count == 0 }
    /// The position of the first member.
    public var startIndex: Index { Index(entry: self.object.index + 1) }
    /// The position after the last member.
    public var endIndex: Index { Index(entry: Int(self.object.entry.next)) }
    /// Returns the position after the given position.
    ///
    /// - Complexity: O(1)
    public func index(after index: Index) -> Index { Index(entry: self.object.tape.following(index.entry + 1)) }
    /// The member at the given position.
    public subscript(position: Index) -> (name: String, value: JSONValue) {
        (self.object.tape.string(position.entry), JSONValue(self.object.tape, position.entry + 1))
    }
}

extension JSONMembers: Redacted {
    /// A description that contains only the number of members, because the contents may include tokens.
    public var description: String { self.object.description }
}
