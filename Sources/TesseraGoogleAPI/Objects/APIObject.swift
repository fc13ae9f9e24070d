// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON
internal import TesseraSupport

/// A JSON object of an API, with its members as properties: what a generated schema is.
///
/// A value over the JSON that was received: a property is read when it is asked for, members that nobody here knows stay
/// where they are, and what is set stands beside it. Each member is absent, null or has a value: setting a property to
/// nil makes it absent, ``setNull(_:)`` makes it null, which in a patch removes it at the server.
///
/// What a server sends is looked through before it becomes one of these: where a text, a number, a list or an object is
/// expected there is one. What still does not fit, such as a time that is none, reads as nil; ``subscript(member:)`` has
/// it.
public protocol APIObject: APIValue, Hashable {
    /// What the members are.
    static var shape: APIShape { get }
    /// The members.
    var storage: APIStorage { get set }
    /// An object without members.
    init()
}

extension APIObject {
    /// An object over these members.
    public init(storage: APIStorage) {
        self.init()
        self.storage = storage
    }

    /// An object whose properties are set at once: `File { $0.name = "notes.txt" }`.
    public init<Failure: Error>(_ change: (inout Self) throws(Failure) -> Void) throws(Failure) {
        self.init()
        try change(&self)
    }

    /// An object of some JSON; nil where that is no object.
    public init?(_ node: JSONNode) {
        guard let storage = APIStorage(node) else { return nil }
        self.init(storage: storage)
    }

    /// The members as JSON, those that nobody here knows too.
    public var node: JSONNode { self.storage.node }

    /// A member by its name in the JSON, known here or not; nil where it is absent.
    public subscript(member name: String) -> JSONNode? {
        get { self.storage.node(name) }
        set { self.storage.set(name, newValue) }
    }

    /// The names of the members that are there and not known here: newer than this code.
    public var unknownMembers: [String] {
        let known = Self.shape.names
        return (self.node.members ?? []).map(\.name).filter { !known.contains($0) }
    }

    /// Whether two have the same members with the same values, in any order.
    public static func == (left: Self, right: Self) -> Bool { left.node.isEquivalent(to: right.node) }

    /// Hashes the members with their values, in any order.
    public func hash(into hasher: inout Hasher) { self.node.hashEquivalent(into: &hasher) }

    /// One that notes which members are asked for.
    public static func recorded(by recorder: APIPathRecorder) -> Self? { Self(storage: APIStorage(recorder)) }

    /// Reads an answer.
    ///
    /// - Throws: `ProtocolViolationError` for what has another shape than the API's documents say.
    public static func received(_ value: JSONValue) throws -> Self {
        try Self.shape.check(value)
        return Self(storage: APIStorage(value))
    }
}

extension APIObject {
    /// Makes a member null: in a patch that removes it at the server, which leaves absent ones as they are.
    ///
    ///     var patch = File()
    ///     patch.setNull(\.description)
    public mutating func setNull<Value>(_ property: KeyPath<Self, Value?>) {
        guard let name = Self.memberName(of: property) else { return }
        self.storage.set(name, .null)
    }

    /// Whether a member is there and null.
    public func isNull<Value>(_ property: KeyPath<Self, Value?>) -> Bool {
        Self.memberName(of: property).flatMap { self.storage.node($0) }?.isNull == true
    }

    /// What turns `original` into this: changed members as they are here, those that are gone as null; objects member by
    /// member, lists whole.
    public func patch(from original: Self) -> Self {
        Self(storage: self.storage.patch(from: original.storage))
    }

    /// The name in the JSON of a property; nil for what is no property of this object.
    static func memberName<Value>(of property: KeyPath<Self, Value?>) -> String? {
        let recorder = APIPathRecorder()
        _ = Self(storage: APIStorage(recorder))[keyPath: property]
        return recorder.path.first
    }
}

extension APIStorage {
    /// The members that differ from another object's, and null for those that only the other has.
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

/// Notes which members are asked for: how a key path becomes names.
public final class APIPathRecorder: Sendable {
    private let names = Mutex<[String]>([])

    init() {}

    /// The names that were asked for, the outermost first.
    var path: [String] { self.names.withLock { $0 } }

    func note(_ name: String) { self.names.withLock { $0.append(name) } }
}
