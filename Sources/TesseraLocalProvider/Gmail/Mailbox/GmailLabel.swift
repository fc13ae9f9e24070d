// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJSON

/// A label: one that every mailbox has, or one of the person's own.
struct GmailLabel: Sendable {
    static let system = [
        "INBOX", "SENT", "DRAFT", "TRASH", "SPAM", "UNREAD", "STARRED", "IMPORTANT", "CHAT", "CATEGORY_PERSONAL",
        "CATEGORY_SOCIAL", "CATEGORY_PROMOTIONS", "CATEGORY_UPDATES", "CATEGORY_FORUMS",
    ]
    .map { GmailLabel(id: $0, name: $0, isSystem: true) }
    /// The labels that say what a message is: nobody gives or takes them away.
    static let fixed: Set<String> = ["SENT", "DRAFT", "CHAT"]

    let id: String
    var name: String
    var isSystem = false
    var messageListVisibility = "show"
    var labelListVisibility = "labelShow"
    var color: (text: String, background: String)?

    var members: [JSONMember] {
        var members = [
            JSONMember(name: "id", value: .string(self.id)), JSONMember(name: "name", value: .string(self.name)),
            JSONMember(name: "type", value: self.isSystem ? "system" : "user"),
        ]
        if !self.isSystem {
            members.append(JSONMember(name: "messageListVisibility", value: .string(self.messageListVisibility)))
            members.append(JSONMember(name: "labelListVisibility", value: .string(self.labelListVisibility)))
        }
        if let color {
            let value: JSONNode = ["textColor": .string(color.text), "backgroundColor": .string(color.background)]
            members.append(JSONMember(name: "color", value: value))
        }
        return members
    }

    /// Takes what a client says about the label.
    mutating func apply(_ value: JSONValue) throws(APIFailure) {
        if let member = value["name"] {
            guard let name = member.string?.trimmed, !name.isEmpty, name.utf8.count <= 225,
                !Self.system.contains(where: { $0.name == name.uppercased() })
            else { throw .invalidArgument("Invalid label name") }
            self.name = name
        }
        if let text = value["messageListVisibility"]?.string {
            guard ["show", "hide"].contains(text) else {
                throw .invalidArgument("Invalid value for messageListVisibility")
            }
            self.messageListVisibility = text
        }
        if let text = value["labelListVisibility"]?.string {
            guard ["labelShow", "labelShowIfUnread", "labelHide"].contains(text) else {
                throw .invalidArgument("Invalid value for labelListVisibility")
            }
            self.labelListVisibility = text
        }
        if let color = value["color"] {
            let sides = (color["textColor"]?.string, color["backgroundColor"]?.string)
            guard let text = sides.0, let background = sides.1 else { throw .invalidArgument("Invalid color") }
            self.color = (text, background)
        }
    }
}
#endif
