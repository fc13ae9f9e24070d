// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraJSON

/// What a member of an API's object or a parameter may be.
public protocol APIValue: Sendable {
    /// The value of some JSON; nil where that is something else.
    init?(_ node: JSONNode)
    /// The value as JSON.
    var node: JSONNode { get }
    /// One that notes which members are asked for; nil for what has none.
    static func recorded(by recorder: APIPathRecorder) -> Self?
    /// The value that an API answered.
    ///
    /// - Throws: `ProtocolViolationError` for what it should not be.
    static func received(_ value: JSONValue) throws -> Self
}

extension APIValue {
    /// None: what is no object has no members.
    public static func recorded(by recorder: APIPathRecorder) -> Self? { nil }

    /// The value that an API answered.
    ///
    /// - Throws: `ProtocolViolationError` for something else.
    public static func received(_ value: JSONValue) throws -> Self {
        if let received = Self(.parsed(value)) { return received }
        throw ProtocolViolationError(
            .apiAnswer,
            expected: "\(Self.self)",
            actual: value.kind.description,
            section: "the API's discovery document"
        )
    }
}

extension JSONNode: APIValue {
    /// Any JSON.
    public init?(_ node: JSONNode) { self = node }

    /// Itself.
    public var node: JSONNode { self }
}

extension Array: APIValue where Element: APIValue {
    /// The elements; nil for what is no list.
    ///
    /// Elements that are something else are left out.
    public init?(_ node: JSONNode) {
        guard let elements = node.elements else { return nil }
        self = elements.compactMap { Element($0) }
    }

    /// A list.
    public var node: JSONNode { .array(self.map(\.node)) }

    /// A list with one element that notes.
    public static func recorded(by recorder: APIPathRecorder) -> Self? {
        Element.recorded(by: recorder).map { [$0] }
    }
}

extension Dictionary: APIValue where Key == String, Value: APIValue {
    /// The members; nil for what is no object.
    ///
    /// Those that are something else are left out.
    public init?(_ node: JSONNode) {
        guard let members = node.members else { return nil }
        self.init(minimumCapacity: members.count)
        for member in members { self[member.name] = Value(member.value) }
    }

    /// An object with its members in the order of their names.
    public var node: JSONNode {
        .object(self.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: $0.value.node) })
    }
}

/// A text of which some values are known; a server may send others.
public protocol APIEnumeration: APIValue, RawRepresentable, Hashable where RawValue == String {
    /// A value, known or not.
    init(rawValue: String)
}

extension APIEnumeration {
    /// The value of a text; nil for anything else.
    public init?(_ node: JSONNode) {
        guard let text = node.stringValue else { return nil }
        self.init(rawValue: text)
    }

    /// The text.
    public var node: JSONNode { .string(self.rawValue) }
}
