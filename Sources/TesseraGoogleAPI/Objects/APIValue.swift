// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraJSON

/// The value of a member or parameter in an API.
public protocol APIValue: Sendable {
    /// Creates a value from JSON, or returns nil if the JSON is of a different type.
    init?(_ node: JSONNode)
    /// The value as JSON.
    var node: JSONNode { get }
    /// Returns an object that records which members are read, or nil for a type without members.
    static func recorded(by recorder: APIPathRecorder) -> Self?
    /// Decodes a response.
    ///
    /// - Throws: `ProtocolViolationError` if the JSON is of a different type.
    static func received(_ value: JSONValue) throws -> Self
}

extension APIValue {
    /// Returns nil, because only objects have members.
    public static func recorded(by recorder: APIPathRecorder) -> Self? { nil }

    /// Decodes a response.
    ///
    /// - Throws: `ProtocolViolationError` if the JSON is of a different type.
    public static func received(_ value: JSONValue) throws -> Self {
        if let received = Self(.parsed(value)) { return received }
        throw ProtocolViolationError(
            .apiResponse,
            expected: "\(Self.self)",
            actual: value.kind.description,
            section: "the API's discovery document"
        )
    }
}

extension JSONNode: APIValue {
    /// Creates a value that is the JSON itself.
    public init?(_ node: JSONNode) { self = node }

    /// The JSON value itself.
    public var node: JSONNode { self }
}

extension Array: APIValue where Element: APIValue {
    /// Creates an array from a JSON array, or returns nil if the JSON is not an array.
    ///
    /// Elements of a different type are omitted.
    public init?(_ node: JSONNode) {
        guard let elements = node.elements else { return nil }
        self = elements.compactMap { Element($0) }
    }

    /// The values as a JSON array.
    public var node: JSONNode { .array(self.map(\.node)) }

    /// Returns an array with a single element that records which members are read.
    public static func recorded(by recorder: APIPathRecorder) -> Self? {
        Element.recorded(by: recorder).map { [$0] }
    }
}

extension Dictionary: APIValue where Key == String, Value: APIValue {
    /// Creates a dictionary from a JSON object, or returns nil if the JSON is not an object.
    ///
    /// Members of a different type are omitted.
    public init?(_ node: JSONNode) {
        guard let members = node.members else { return nil }
        self.init(minimumCapacity: members.count)
        for member in members { self[member.name] = Value(member.value) }
    }

    /// The values as a JSON object whose members are sorted by name.
    public var node: JSONNode {
        .object(self.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: $0.value.node) })
    }
}

/// A string with a set of known values, to which a server may add others.
public protocol APIEnumeration: APIValue, RawRepresentable, Hashable where RawValue == String {
    /// Creates a value from a known or unknown string.
    init(rawValue: String)
}

extension APIEnumeration {
    /// Creates a value from a JSON string, or returns nil if the JSON is not a string.
    public init?(_ node: JSONNode) {
        guard let text = node.stringValue else { return nil }
        self.init(rawValue: text)
    }

    /// The value as a JSON string.
    public var node: JSONNode { .string(self.rawValue) }
}
