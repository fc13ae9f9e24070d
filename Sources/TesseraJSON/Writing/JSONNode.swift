// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A value that will be written as JSON; literals make it, and members keep their order.
///
/// Nothing is refused: two members of one name are written twice, and a double that is infinite or not a number is
/// written as `null`, since JSON has no word for it. It shows its contents when printed; do not log one that holds
/// secrets.
public enum JSONNode: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// A number with its shortest exact text; not finite: `null`.
    case double(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONNode])
    /// Members, in this order.
    case object([JSONMember])
    /// A value from a parsed document, written exactly as received unless `pretty` is asked for.
    case parsed(JSONValue)

    /// An object of the members that have a value, followed by others.
    package static func object(present members: KeyValuePairs<String, JSONNode?>, _ others: [JSONMember] = []) -> Self {
        .object(members.compactMap { name, value in value.map { JSONMember(name: name, value: $0) } } + others)
    }

    /// The JSON text as UTF-8.
    ///
    /// `pretty` gives each member and element a line of its own, indented by two spaces a level, at most 32 levels.
    public func serialized(pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        writer.write(self)
        return writer.bytes
    }

    /// The JSON text.
    ///
    /// `pretty` gives each member and element a line of its own, indented by two spaces a level, at most 32 levels.
    public func text(pretty: Bool = false) -> String {
        String(decoding: self.serialized(pretty: pretty), as: UTF8.self)
    }

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
    package func isEquivalent(to other: JSONNode) -> Bool {
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

    /// Feeds what ``isEquivalent(to:)`` compares to a hasher: members in any order, numbers by their value.
    package func hashEquivalent(into hasher: inout Hasher) {
        if self.isNull {
            hasher.combine(0)
        } else if let text = self.stringValue {
            hasher.combine(text)
        } else if let bool = self.boolValue {
            hasher.combine(bool)
        } else if let number = self.integerValue(Int64.self) {
            hasher.combine(number)
        } else if let number = self.doubleValue {
            hasher.combine(number)
        } else if let elements = self.elements {
            hasher.combine(elements.count)
            for element in elements { element.hashEquivalent(into: &hasher) }
        } else if let members = self.members {
            hasher.combine(members.count)
            hasher.combine(members.reduce(0) { $0 &+ Self.hash($1) })
        }
    }

    private static func hash(_ member: JSONMember) -> Int {
        var hasher = Hasher()
        hasher.combine(member.name)
        member.value.hashEquivalent(into: &hasher)
        return hasher.finalize()
    }
}

/// A member of an object that will be written.
public struct JSONMember: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: JSONNode

    /// A member of that name and value.
    public init(name: String, value: JSONNode) {
        self.name = name
        self.value = value
    }
}

extension JSONNode: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// The literal `null`.
    public init(nilLiteral: ()) { self = .null }
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A double.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A list.
    public init(arrayLiteral elements: JSONNode...) { self = .array(elements) }
    /// An object whose members keep the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONNode)...) {
        self = .object(elements.map { JSONMember(name: $0, value: $1) })
    }
}
