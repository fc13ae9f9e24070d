// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraSupport

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
