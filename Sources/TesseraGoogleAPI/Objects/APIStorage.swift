// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// The storage for an object's members, which consists of the received JSON and later changes.
///
/// This type is meant for generated code. In your code, use an object's properties instead.
public struct APIStorage: Sendable {
    private enum Base: Sendable {
        case empty
        case received(JSONValue)
        case recorded(APIPathRecorder)
    }

    /// A changed member.
    ///
    /// Its node is nil if the member was removed.
    private struct Change: Sendable {
        let name: String
        var node: JSONNode?
    }

    private var base: Base
    private var changes: [Change] = []

    /// Creates an empty storage.
    public init() { self.base = .empty }

    /// Creates a storage with the members of a received object.
    public init(_ object: JSONValue) { self.base = .received(object) }

    init(_ recorder: APIPathRecorder) { self.base = .recorded(recorder) }

    /// Creates a storage with the members of a JSON object, or returns nil if the JSON is not an object.
    public init?(_ node: JSONNode) {
        switch node {
        case .parsed(let value) where value.kind == .object: self.init(value)
        case .object(let members):
            self.init()
            var places: [String: Int] = [:]
            for member in members {
                let change = Change(name: member.name, node: member.value)
                if let location = places.updateValue(self.changes.count, forKey: member.name) {
                    places[member.name] = location
                    self.changes[location] = change
                } else {
                    self.changes.append(change)
                }
            }
        default: return nil
        }
    }

    /// Returns a member, or nil if it is absent.
    public func node(_ name: String) -> JSONNode? {
        if !self.changes.isEmpty, let change = self.changes.last(where: { $0.name == name }) { return change.node }
        switch self.base {
        case .empty: return nil
        case .received(let object): return object[name].map { .parsed($0) }
        case .recorded(let recorder):
            recorder.note(name)
            return nil
        }
    }

    /// Returns a member's string value, or nil if the member is not a string.
    ///
    /// Avoids creating a node where possible.
    func string(_ name: String) -> String? {
        guard self.changes.isEmpty, case .received(let object) = self.base else {
            return self.node(name)?.stringValue
        }
        return object.string(of: name)
    }

    /// Sets a member, or removes it if the node is nil.
    public mutating func set(_ name: String, _ node: JSONNode?) {
        if let location = self.changes.firstIndex(where: { $0.name == name }) {
            self.changes[location].node = node
        } else if node != nil || !self.isNew {
            self.changes.append(Change(name: name, node: node))
        }
    }

    /// Whether no JSON was received, so that removed members need not be recorded.
    private var isNew: Bool {
        if case .empty = self.base { true } else { false }
    }

    var recorder: APIPathRecorder? {
        if case .recorded(let recorder) = self.base { recorder } else { nil }
    }

    /// The members in order, with received members before added ones.
    var members: [JSONMember] {
        guard case .received(let object) = self.base else {
            return self.changes.compactMap { change in change.node.map { JSONMember(name: change.name, value: $0) } }
        }
        var members: [JSONMember] = []
        var changed: [String: JSONNode?] = [:]
        for change in self.changes { changed[change.name] = change.node }
        for member in object.members.map({ Array($0) }) ?? [] {
            if let change = changed.removeValue(forKey: member.name) {
                if let change { members.append(JSONMember(name: member.name, value: change)) }
            } else {
                members.append(JSONMember(name: member.name, value: .parsed(member.value)))
            }
        }
        for change in self.changes {
            if let added = changed.removeValue(forKey: change.name) ?? nil {
                members.append(JSONMember(name: change.name, value: added))
            }
        }
        return members
    }

    /// The object as JSON.
    public var node: JSONNode {
        if self.changes.isEmpty, case .received(let object) = self.base { return .parsed(object) }
        return .object(self.members)
    }
}

extension APIStorage: CustomDebugStringConvertible {
    /// The JSON text of the object.
    public var debugDescription: String { self.node.text() }
}

/// Subscripts that generated properties use, one for any type of value and faster ones for common types.
///
/// Each subscript has its own label, so that the compiler has no overloads to resolve.
extension APIStorage {
    /// A member's value, or nil if the member is absent or null.
    public subscript<Value: APIValue>(value name: String) -> Value? {
        get {
            if let recorder = self.recorder {
                recorder.note(name)
                return Value.recorded(by: recorder)
            }
            guard let node = self.node(name), !node.isNull else { return nil }
            return Value(node)
        }
        set { self.set(name, newValue?.node) }
    }

    /// The string value of a member.
    public subscript(string name: String) -> String? {
        get { self.string(name) }
        set { self.set(name, newValue.map { .string($0) }) }
    }

    /// The Boolean value of a member.
    public subscript(bool name: String) -> Bool? {
        get { self.node(name)?.boolValue }
        set { self.set(name, newValue.map { .bool($0) }) }
    }

    /// The 32-bit integer value of a member.
    public subscript(int name: String) -> Int? {
        get { self.node(name).flatMap { Int($0) } }
        set { self.set(name, newValue?.node) }
    }

    /// The 64-bit integer value of a member, which is a string in the JSON.
    public subscript(int64 name: String) -> Int64? {
        get { self.node(name).flatMap { Int64($0) } }
        set { self.set(name, newValue?.node) }
    }

    /// The floating-point value of a member.
    public subscript(double name: String) -> Double? {
        get { self.node(name).flatMap { Double($0) } }
        set { self.set(name, newValue?.node) }
    }

    /// The timestamp value of a member.
    public subscript(timestamp name: String) -> Timestamp? {
        get { self.string(name).flatMap { Timestamp($0) } }
        set { self.set(name, newValue.map { .string($0.description) }) }
    }

    /// The JSON value of a member, which can be null.
    public subscript(json name: String) -> JSONNode? {
        get { self.node(name) }
        set { self.set(name, newValue) }
    }
}
