// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJSON

/// One change of a mailbox, as `history.list` tells it.
struct GmailHistory: Sendable {
    enum Kind: String, Sendable {
        case messageAdded, messageDeleted, labelAdded, labelRemoved

        /// The member of the answer that tells of it.
        var member: String {
            switch self {
            case .messageAdded: "messagesAdded"
            case .messageDeleted: "messagesDeleted"
            case .labelAdded: "labelsAdded"
            case .labelRemoved: "labelsRemoved"
            }
        }
    }

    let id: Int
    let kind: Kind
    /// The message as it was after the change.
    let message: GmailMessage
    /// The labels that were given or taken away.
    let labels: [String]

    var node: JSONNode {
        var change = [JSONMember(name: "message", value: self.message.summary)]
        if !self.labels.isEmpty {
            change.append(JSONMember(name: "labelIds", value: .array(self.labels.map(JSONNode.string))))
        }
        return .object([
            JSONMember(name: "id", value: .string(String(self.id))),
            JSONMember(name: "messages", value: [self.message.reference]),
            JSONMember(name: self.kind.member, value: [.object(change)]),
        ])
    }
}
#endif
