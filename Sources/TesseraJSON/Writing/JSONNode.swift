// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A value that can be written as JSON.
///
/// You can create a node with literals, and object members keep their order. Values are not validated. Duplicate names
/// are written twice, and a double that is not finite is written as `null` because JSON cannot represent it. The
/// description includes the contents, so do not log a node that contains secrets.
public enum JSONNode: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A 64-bit integer.
    case integer(Int64)
    /// A double, which is written in its shortest exact form, or as `null` if it is not finite.
    case double(Double)
    /// A string.
    case string(String)
    /// An array of elements.
    case array([JSONNode])
    /// An object with members in the given order.
    case object([JSONMember])
    /// A value from a parsed document, which is written exactly as received unless it is pretty-printed.
    case parsed(JSONValue)

    /// Returns an object that contains the members that have a value, followed by other members.
    package static func object(present members: KeyValuePairs<String, JSONNode?>, _ others: [JSONMember] = []) -> Self {
        .object(members.compactMap { name, value in value.map { JSONMember(name: name, value: $0) } } + others)
    }

    /// Returns the JSON text in UTF-8.
    ///
    /// If `pretty` is true, each member and element is on a separate line, indented by two spaces per level, up to 32
    /// levels.
    public func serialized(pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        writer.write(self)
        return writer.bytes
    }

    /// Returns the JSON text.
    ///
    /// If `pretty` is true, each member and element is on a separate line, indented by two spaces per level, up to 32
    /// levels.
    public func text(pretty: Bool = false) -> String {
        String(decoding: self.serialized(pretty: pretty), as: UTF8.self)
    }

    /// Whether the value is the literal `null`.
    public var isNull: Bool {
        switch self {
        case .null: true
        case .parsed(let value): value.isNull
        default: false
        }
    }

    /// The Boolean value, or nil if the value is not `true` or `false`.
    public var boolValue: Bool? {
        switch self {
        case .bool(let value): value
        case .parsed(let value): value.bool
        default: nil
        }
    }

    /// The string, or nil if the value is not a string.
    public var stringValue: String? {
        switch self {
        case .string(let value): value
        case .parsed(let value): value.string
        default: nil
        }
    }

    /// Returns the number as an integer, or nil if it is not an integer within the range of the type.
    public func integerValue<Integer: FixedWidthInteger>(_ type: Integer.Type = Int.self) -> Integer? {
        switch self {
        case .integer(let value): Integer(exactly: value)
        case .double(let value): Integer(exactly: value)
        case .parsed(let value): try? value.integer(type)
        default: nil
        }
    }

    /// The nearest double, or nil if the value is not a number or is too large.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .parsed(let value): try? value.double()
        default: nil
        }
    }

    /// The elements, or nil if the value is not an array.
    public var elements: [JSONNode]? {
        switch self {
        case .array(let elements): elements
        case .parsed(let value): value.elements.map { $0.map { .parsed($0) } }
        default: nil
        }
    }

    /// The members in their order, or nil if the value is not an object.
    public var members: [JSONMember]? {
        switch self {
        case .object(let members): members
        case .parsed(let value):
            value.members.map { $0.map { JSONMember(name: $0.name, value: .parsed($0.value)) } }
        default: nil
        }
    }

    /// The value of a member, or nil if the member is missing or this value is not an object.
    public subscript(_ name: String) -> JSONNode? {
        switch self {
        case .object(let members): members.last { $0.name == name }?.value
        case .parsed(let value): value[name].map { .parsed($0) }
        default: nil
        }
    }

    /// The element at a zero-based index, or nil if the index is out of bounds or this value is not an array.
    public subscript(_ location: Int) -> JSONNode? {
        switch self {
        case .array(let elements): elements.indices.contains(location) ? elements[location] : nil
        case .parsed(let value): value[location].map { .parsed($0) }
        default: nil
        }
    }

    /// Returns whether two parsed or created values are equal, ignoring the order of members and the notation of
    /// numbers.
    ///
    /// Strings and names are compared code point by code point, without normalization.
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
        // The remaining scalars are numbers that are too large for a double.
        guard let some = self.valuesByName else { return self == other }
        guard let others = other.valuesByName, some.count == others.count else { return false }
        return some.allSatisfy { name, value in others[name]?.isEquivalent(to: value) == true }
    }

    /// The members' values, keyed by the bytes of their names.
    ///
    /// Searching the list for each member would take quadratic time.
    private var valuesByName: [[UInt8]: JSONNode]? {
        self.members.map { members in
            Dictionary(members.map { (Array($0.name.utf8), $0.value) }, uniquingKeysWith: { $1 })
        }
    }

    /// Hashes the value consistently with ``isEquivalent(to:)``.
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

/// A member of an object that can be written as JSON.
public struct JSONMember: Sendable, Hashable {
    /// The name of the member.
    public var name: String
    /// The value of the member.
    public var value: JSONNode

    /// Creates a member.
    public init(name: String, value: JSONNode) {
        self.name = name
        self.value = value
    }
}

extension JSONNode: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Creates the literal `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a double.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONNode...) { self = .array(elements) }
    /// Creates an object with members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONNode)...) {
        self = .object(elements.map { JSONMember(name: $0, value: $1) })
    }
}
