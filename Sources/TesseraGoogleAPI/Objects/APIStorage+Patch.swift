// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

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
