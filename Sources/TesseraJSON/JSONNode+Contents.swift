// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension JSONNode {
    /// Whether it is the literal `null`.
    public var isNull: Bool {
        switch self {
        case .null: true
        case .parsed(let value): value.isNull
        default: false
        }
    }

    /// The truth value; nil unless it is `true` or `false`.
    public var boolValue: Bool? {
        switch self {
        case .bool(let value): value
        case .parsed(let value): value.bool
        default: nil
        }
    }

    /// The text; nil unless it is a string.
    public var stringValue: String? {
        switch self {
        case .string(let value): value
        case .parsed(let value): value.string
        default: nil
        }
    }

    /// The number; nil unless it is an integer that fits.
    public func integerValue<Integer: FixedWidthInteger>(_ type: Integer.Type = Int.self) -> Integer? {
        switch self {
        case .integer(let value): Integer(exactly: value)
        case .double(let value): Integer(exactly: value)
        case .parsed(let value): try? value.integer(type)
        default: nil
        }
    }

    /// The nearest double; nil unless it is a number that is not too large.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .parsed(let value): try? value.double()
        default: nil
        }
    }

    /// The elements; nil unless it is a list.
    public var elements: [JSONNode]? {
        switch self {
        case .array(let elements): elements
        case .parsed(let value): value.elements.map { $0.map { .parsed($0) } }
        default: nil
        }
    }

    /// The members, in their order; nil unless it is an object.
    public var members: [JSONMember]? {
        switch self {
        case .object(let members): members
        case .parsed(let value):
            value.members.map { $0.map { JSONMember(name: $0.name, value: .parsed($0.value)) } }
        default: nil
        }
    }

    /// The member of that name; nil when there is none or it is no object.
    public subscript(_ name: String) -> JSONNode? {
        switch self {
        case .object(let members): members.last { $0.name == name }?.value
        case .parsed(let value): value[name].map { .parsed($0) }
        default: nil
        }
    }

    /// The element at that place, from 0; nil when there is none or it is no list.
    public subscript(_ place: Int) -> JSONNode? {
        switch self {
        case .array(let elements): elements.indices.contains(place) ? elements[place] : nil
        case .parsed(let value): value[place].map { .parsed($0) }
        default: nil
        }
    }

    /// Whether two mean the same, parsed or made: members in any order, numbers by their value.
    ///
    /// Texts and names are compared code point by code point, without normalization.
    public func isEquivalent(to other: JSONNode) -> Bool {
        if self.isNull || other.isNull { return self.isNull && other.isNull }
        if let text = self.stringValue { return other.stringValue?.utf8.elementsEqual(text.utf8) == true }
        if let bool = self.boolValue { return other.boolValue == bool }
        if let number = self.integerValue(Int64.self) { return other.integerValue(Int64.self) == number }
        if let number = self.doubleValue { return other.doubleValue == number }
        if let some = self.elements {
            guard let others = other.elements, some.count == others.count else { return false }
            return zip(some, others).allSatisfy { $0.isEquivalent(to: $1) }
        }
        // A number that is too large for a double.
        guard let some = self.valuesByName else { return self == other }
        guard let others = other.valuesByName, some.count == others.count else { return false }
        return some.allSatisfy { name, value in others[name]?.isEquivalent(to: value) == true }
    }

    /// The members by the bytes of their names: looking each one up in a list would take quadratic time.
    private var valuesByName: [[UInt8]: JSONNode]? {
        self.members.map { members in
            Dictionary(members.map { (Array($0.name.utf8), $0.value) }, uniquingKeysWith: { $1 })
        }
    }
}
