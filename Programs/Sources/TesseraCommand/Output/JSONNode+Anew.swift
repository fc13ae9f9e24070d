// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraJSON

extension JSONNode {
    /// What was received, written anew: the server's line breaks are not ours.
    package init(anew value: JSONValue) {
        if let members = value.members {
            self = .object(members.map { JSONMember(name: $0.name, value: JSONNode(anew: $0.value)) })
        } else if let elements = value.elements {
            self = .array(elements.map { JSONNode(anew: $0) })
        } else {
            self = .parsed(value)
        }
    }
}
