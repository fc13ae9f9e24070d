// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON
internal import TesseraSupport

/// A JSON object in an API, whose members are available as properties.
///
/// Generated types for an API's schemas conform to this protocol.
///
/// An object wraps the received JSON. A member is decoded when its property is read, unknown members are preserved, and
/// changes are stored separately. A member is absent, null or has a value. Setting a property to nil makes the member
/// absent. ``setNull(_:)`` makes it null, which removes it on the server when the object is sent in a patch request.
///
/// Responses are validated before they are decoded, so a string, number, array or object is present where the schema
/// has one. A member with a value that cannot be represented, such as an invalid time, reads as nil. The value remains
/// available through ``subscript(member:)``.
public protocol APIObject: APIValue, Hashable {
    /// The names and types of the object's members.
    static var shape: APIShape { get }
    /// The storage for the object's members.
    var storage: APIStorage { get set }
    /// Creates an empty object.
    init()
}

extension APIObject {
    /// Creates an object with the given storage.
    public init(storage: APIStorage) {
        self.init()
        self.storage = storage
    }

    /// Creates an object and sets its properties, as in `File { $0.name = "notes.txt" }`.
    public init<Failure: Error>(_ change: (inout Self) throws(Failure) -> Void) throws(Failure) {
        self.init()
        try change(&self)
    }

    /// Creates an object from JSON, or returns nil if the JSON is not an object.
    public init?(_ node: JSONNode) {
        guard let storage = APIStorage(node) else { return nil }
        self.init(storage: storage)
    }

    /// The object as JSON, including unknown members.
    public var node: JSONNode { self.storage.node }

    /// The member with this name in the JSON, whether known or unknown, or nil if it is absent.
    public subscript(member name: String) -> JSONNode? {
        get { self.storage.node(name) }
        set { self.storage.set(name, newValue) }
    }

    /// The names of members that this version of the code does not know.
    public var unknownMembers: [String] {
        let known = Self.shape.names
        return (self.node.members ?? []).map(\.name).filter { !known.contains($0) }
    }

    /// Returns whether two objects have the same members with the same values, in any order.
    public static func == (left: Self, right: Self) -> Bool { left.node.isEquivalent(to: right.node) }

    /// Hashes the members and their values, in any order.
    public func hash(into hasher: inout Hasher) { self.node.hashEquivalent(into: &hasher) }

    /// Returns an object that records which of its members are read.
    public static func recorded(by recorder: APIPathRecorder) -> Self? { Self(storage: APIStorage(recorder)) }

    /// Validates and decodes a response.
    ///
    /// - Throws: `ProtocolViolationError` if the JSON does not match the API's documentation.
    public static func received(_ value: JSONValue) throws -> Self {
        try Self.shape.check(value)
        return Self(storage: APIStorage(value))
    }
}

extension APIObject {
    /// Sets a member to null, which removes it on the server when the object is sent in a patch request.
    ///
    /// A patch request does not change absent members.
    ///
    ///     var patch = File()
    ///     patch.setNull(\.description)
    ///
    /// The path may lead through nested objects, such as `\.start?.dateTime`, but not through an array, which a patch
    /// replaces as a whole.
    public mutating func setNull<Value>(_ property: KeyPath<Self, Value?>) {
        let path = Self.path(of: property)
        guard let name = path.first else { return }
        self.storage.set(name, Self.nulled(path.dropFirst(), in: self.storage.node(name)))
    }

    /// Returns an object in which the member at the path is null, or null if the path is empty.
    private static func nulled(_ path: ArraySlice<String>, in node: JSONNode?) -> JSONNode {
        guard let name = path.first else { return .null }
        let value = Self.nulled(path.dropFirst(), in: node?[name])
        let others = node?.members?.filter { $0.name != name } ?? []
        return .object(others + [JSONMember(name: name, value: value)])
    }

    /// Returns whether a member is present and null.
    public func isNull<Value>(_ property: KeyPath<Self, Value?>) -> Bool {
        let path = Self.path(of: property)
        guard let name = path.first else { return false }
        return path.dropFirst().reduce(self.storage.node(name)) { $0?[$1] }?.isNull == true
    }

    /// Returns a patch that changes `original` into this object.
    ///
    /// Changed members have their new values, and removed members are null. Objects are compared member by member.
    /// Arrays are compared as a whole.
    public func patch(from original: Self) -> Self {
        Self(storage: self.storage.patch(from: original.storage))
    }

    /// Returns the JSON names of a property and of the objects that contain it, or an empty array if the property does
    /// not belong to this object.
    static func path<Value>(of property: KeyPath<Self, Value?>) -> [String] {
        let recorder = APIPathRecorder()
        _ = Self(storage: APIStorage(recorder))[keyPath: property]
        return recorder.path
    }
}

extension APIStorage {
    /// Returns the members that differ from those of another object, with null for members that only the other object
    /// has.
    func patch(from original: APIStorage) -> APIStorage {
        APIStorage(Self.patch(.object(self.members), from: .object(original.members))) ?? APIStorage()
    }

    private static func patch(_ node: JSONNode, from original: JSONNode) -> JSONNode {
        guard let members = node.members, let originals = original.members else { return node }
        let names = Set(members.map(\.name))
        var changes: [JSONMember] = []
        for member in members {
            let before = original[member.name]
            if let before, before.isEquivalent(to: member.value) { continue }
            let value = before.map { Self.patch(member.value, from: $0) } ?? member.value
            changes.append(JSONMember(name: member.name, value: value))
        }
        for member in originals where !names.contains(member.name) && !member.value.isNull {
            changes.append(JSONMember(name: member.name, value: .null))
        }
        return .object(changes)
    }
}

/// Records which members are read, so that a key path can be converted to JSON names.
public final class APIPathRecorder: Sendable {
    private let names = Mutex<[String]>([])

    init() {}

    /// The names of the members that were read, from the outermost to the innermost.
    var path: [String] { self.names.withLock { $0 } }

    func note(_ name: String) { self.names.withLock { $0.append(name) } }
}
