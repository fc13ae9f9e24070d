// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension JSONNode {
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
