// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// The members of an object: those that were received, and what was changed since.
///
/// For generated code; programs use the properties.
public struct APIStorage: Sendable {
    private enum Base: Sendable {
        case empty
        case received(JSONValue)
        case recorded(APIPathRecorder)
    }

    /// What was set, and what was removed: nil.
    private struct Change: Sendable {
        let name: String
        var node: JSONNode?
    }

    private var base: Base
    private var changes: [Change] = []

    /// No members.
    public init() { self.base = .empty }

    /// The members of an object that was received.
    public init(_ object: JSONValue) { self.base = .received(object) }

    init(_ recorder: APIPathRecorder) { self.base = .recorded(recorder) }

    /// The members of some JSON; nil where it is no object.
    public init?(_ node: JSONNode) {
        switch node {
        case .parsed(let value) where value.kind == .object: self.init(value)
        case .object(let members):
            self.init()
            var places: [String: Int] = [:]
            for member in members {
                let change = Change(name: member.name, node: member.value)
                if let place = places.updateValue(self.changes.count, forKey: member.name) {
                    places[member.name] = place
                    self.changes[place] = change
                } else {
                    self.changes.append(change)
                }
            }
        default: return nil
        }
    }

    /// A member; nil where it is absent.
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

    /// A text, without a detour; nil where there is none.
    func string(_ name: String) -> String? {
        guard self.changes.isEmpty, case .received(let object) = self.base else {
            return self.node(name)?.stringValue
        }
        return object.string(of: name)
    }

    /// Sets a member; nil makes it absent.
    public mutating func set(_ name: String, _ node: JSONNode?) {
        if let place = self.changes.firstIndex(where: { $0.name == name }) {
            self.changes[place].node = node
        } else if node != nil || !self.isNew {
            self.changes.append(Change(name: name, node: node))
        }
    }

    /// Whether nothing was received: then what is not set is absent anyway.
    private var isNew: Bool {
        if case .empty = self.base { true } else { false }
    }

    var recorder: APIPathRecorder? {
        if case .recorded(let recorder) = self.base { recorder } else { nil }
    }

    /// The members in their order: those that were received, then those that were added.
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
    /// The JSON.
    public var debugDescription: String { self.node.text() }
}

/// What the properties of generated code are made of: one subscript for any value, and quicker ones for what most are.
///
/// Each has a label of its own, so that a compiler has nothing to choose from.
extension APIStorage {
    /// A member as a value; nil where it is absent or null.
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

    /// A text.
    public subscript(string name: String) -> String? {
        get { self.string(name) }
        set { self.set(name, newValue.map { .string($0) }) }
    }

    /// `true` or `false`.
    public subscript(bool name: String) -> Bool? {
        get { self.node(name)?.boolValue }
        set { self.set(name, newValue.map { .bool($0) }) }
    }

    /// A number of 32 bits.
    public subscript(int name: String) -> Int? {
        get { self.node(name).flatMap { Int($0) } }
        set { self.set(name, newValue?.node) }
    }

    /// A number of 64 bits, a text in the JSON.
    public subscript(int64 name: String) -> Int64? {
        get { self.node(name).flatMap { Int64($0) } }
        set { self.set(name, newValue?.node) }
    }

    /// A number.
    public subscript(double name: String) -> Double? {
        get { self.node(name).flatMap { Double($0) } }
        set { self.set(name, newValue?.node) }
    }

    /// A point in time.
    public subscript(timestamp name: String) -> Timestamp? {
        get { self.string(name).flatMap { Timestamp($0) } }
        set { self.set(name, newValue.map { .string($0.description) }) }
    }

    /// Any JSON; also null.
    public subscript(json name: String) -> JSONNode? {
        get { self.node(name) }
        set { self.set(name, newValue) }
    }
}
