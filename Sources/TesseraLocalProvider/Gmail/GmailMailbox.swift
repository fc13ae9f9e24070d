// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import TesseraJSON
internal import TesseraSupport

/// An account's mailbox, with its messages, labels, drafts and history.
struct GmailMailbox: Sendable {
    let account: LocalProviderAccount
    /// The messages, in order of arrival.
    private(set) var messages: [GmailMessage] = []
    private(set) var labels: [GmailLabel] = []
    private(set) var drafts: [GmailDraft] = []
    private(set) var history: [GmailHistory] = []
    /// The number of the most recent change.
    private(set) var historyID = 1000
    private var lastNumber = 0
    /// The sent messages that have not been delivered yet.
    private var outgoing: [OutgoingMail] = []

    init(account: LocalProviderAccount) { self.account = account }

    var profile: JSONNode {
        .members([
            "emailAddress": self.account.email, "messagesTotal": self.messages.count,
            "threadsTotal": Set(self.messages.map(\.threadID)).count, "historyId": String(self.historyID),
        ])
    }

    func message(_ id: String) -> GmailMessage? { self.messages.first { $0.id == id } }

    func thread(_ id: String) -> [GmailMessage] { self.messages.filter { $0.threadID == id } }

    var allLabels: [GmailLabel] { GmailLabel.system + self.labels }

    /// Adds a message.
    ///
    /// If there is no thread ID, the message joins the thread that it replies to or starts a new one.
    @discardableResult
    mutating func add(_ raw: [UInt8], labels: [String], threadID: String? = nil, at time: Int64) -> GmailMessage? {
        guard let head = MessageHead(raw[...]) else { return nil }
        let id = self.newID()
        let content = MailPart(head)
        let message = GmailMessage(
            id: id,
            threadID: threadID ?? self.thread(respondedBy: head) ?? id,
            labels: labels,
            time: time,
            raw: raw,
            content: content,
            historyID: self.historyID + 1
        )
        self.messages.append(message)
        self.note(.messagesAdded, message)
        return message
    }

    mutating func remove(_ id: String) {
        guard let message = self.message(id) else { return }
        self.messages.removeAll { $0.id == id }
        self.drafts.removeAll { $0.messageID == id }
        self.note(.messagesDeleted, message)
    }

    mutating func change(_ id: String, adding: [String], removing: [String]) {
        guard let index = self.messages.firstIndex(where: { $0.id == id }) else { return }
        let added = adding.filter { !self.messages[index].labels.contains($0) }
        let removed = removing.filter(self.messages[index].labels.contains)
        self.messages[index].labels.removeAll(where: removed.contains)
        self.messages[index].labels += added
        for (kind, labels) in [(GmailHistory.Kind.labelsAdded, added), (.labelsRemoved, removed)] where !labels.isEmpty
        {
            self.messages[index].historyID = self.historyID + 1
            self.note(kind, self.messages[index], labels)
        }
    }

    mutating func deliver(_ mail: OutgoingMail) { self.outgoing.append(mail) }

    mutating func takeOutgoing() -> [OutgoingMail] {
        defer { self.outgoing = [] }
        return self.outgoing
    }

    /// Saves a new label or replaces the one with the same ID.
    mutating func save(_ label: GmailLabel) {
        if let index = self.labels.firstIndex(where: { $0.id == label.id }) {
            self.labels[index] = label
        } else {
            self.labels.append(label)
        }
    }

    mutating func newLabelID() -> String { "Label_\(self.number())" }

    mutating func removeLabel(_ id: String) {
        self.labels.removeAll { $0.id == id }
        for message in self.messages { self.change(message.id, adding: [], removing: [id]) }
    }

    /// Saves a message as a new draft, or as the message of an existing draft.
    mutating func keepDraft(_ message: GmailMessage, id: String?) -> GmailDraft {
        let draft = GmailDraft(id: id ?? "r\(1_000_000_000 + self.number())", messageID: message.id)
        if let old = self.drafts.first(where: { $0.id == draft.id }) { self.remove(old.messageID) }
        self.drafts.append(draft)
        return draft
    }

    private mutating func note(_ kind: GmailHistory.Kind, _ message: GmailMessage, _ labels: [String] = []) {
        self.historyID += 1
        self.history.append(GmailHistory(id: self.historyID, kind: kind, message: message, labels: labels))
    }

    private mutating func number() -> Int {
        self.lastNumber += 1
        return self.lastNumber
    }

    /// Returns a message ID of 16 hexadecimal digits, which is the same on every run.
    private mutating func newID() -> String {
        let text = "\(self.account.subject)|\(self.number())"
        return SHA256.hash(data: Array(text.utf8)).prefix(8).hexadecimal
    }

    /// Returns the thread that contains the message to which another message replies.
    private func thread(respondedBy head: MessageHead) -> String? {
        let references = ["In-Reply-To", "References"].compactMap { head[$0] }.joined(separator: " ")
        guard !references.isEmpty else { return nil }
        return self.messages.last { message in
            message.field("Message-ID").map { !$0.isEmpty && references.contains($0) } ?? false
        }?
        .threadID
    }
}

struct GmailMessage: Sendable {
    enum Format: String, Sendable {
        case full, metadata, minimal, raw
    }

    let id: String
    let threadID: String
    var labels: [String]
    /// The time of arrival in milliseconds since 1970.
    let time: Int64
    let raw: [UInt8]
    let content: MailPart
    /// The number of the most recent change.
    var historyID: Int

    func field(_ name: String) -> String? {
        self.content.fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    func addresses(_ names: [String]) -> [String] {
        self.content.fields.filter { names.contains($0.name.lowercased()) }.flatMap { MailAddress.all(in: $0.value) }
    }

    /// The beginning of the text, on a single line.
    var snippet: String {
        String(self.content.text.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(200))
    }

    var reference: JSONNode { .members(["id": self.id, "threadId": self.threadID]) }

    /// The message as it appears in the response to a change.
    var summary: JSONNode { .members(["id": self.id, "threadId": self.threadID, "labelIds": self.labels]) }

    func node(_ format: Format, headers: [String] = []) -> JSONNode {
        let payload: JSONNode? =
            switch format {
            case .full: self.content.node
            case .metadata: self.content.metadata(headers)
            case .raw, .minimal: nil
            }
        return .members([
            "id": self.id, "threadId": self.threadID, "labelIds": self.labels, "snippet": self.snippet,
            "payload": payload, "raw": format == .raw ? Base64.encode(self.raw, isURLSafe: true) : nil,
            "sizeEstimate": self.raw.count, "historyId": String(self.historyID), "internalDate": String(self.time),
        ])
    }
}

/// A system or user label.
struct GmailLabel: Sendable {
    static let system = [
        "INBOX", "SENT", "DRAFT", "TRASH", "SPAM", "UNREAD", "STARRED", "IMPORTANT", "CHAT", "CATEGORY_PERSONAL",
        "CATEGORY_SOCIAL", "CATEGORY_PROMOTIONS", "CATEGORY_UPDATES", "CATEGORY_FORUMS",
    ]
    .map { GmailLabel(id: $0, name: $0, isSystem: true) }
    /// The labels that describe a message's type, which users can neither add nor remove.
    static let fixed: Set<String> = ["SENT", "DRAFT", "CHAT"]

    let id: String
    var name: String
    var isSystem = false
    var messageListVisibility = "show"
    var labelListVisibility = "labelShow"
    var color: (text: String, background: String)?

    var members: [JSONMember] {
        JSONMember.list([
            "id": self.id, "name": self.name, "type": self.isSystem ? "system" : "user",
            "messageListVisibility": self.isSystem ? nil : self.messageListVisibility,
            "labelListVisibility": self.isSystem ? nil : self.labelListVisibility,
            "color": self.color.map { JSONNode.members(["textColor": $0.text, "backgroundColor": $0.background]) },
        ])
    }

    /// Applies the members in a request to the label.
    mutating func apply(_ value: JSONValue) throws(APIFailure) {
        if let member = value["name"] {
            guard let name = member.string?.trimmed, !name.isEmpty, name.utf8.count <= 225,
                !Self.system.contains(where: { $0.name == name.uppercased() })
            else { throw .invalidArgument("Invalid label name") }
            self.name = name
        }
        let visibilities: [(String, WritableKeyPath<Self, String>, [String])] = [
            ("messageListVisibility", \.messageListVisibility, ["show", "hide"]),
            ("labelListVisibility", \.labelListVisibility, ["labelShow", "labelShowIfUnread", "labelHide"]),
        ]
        for (name, member, allowed) in visibilities {
            guard let text = value[name]?.string else { continue }
            guard allowed.contains(text) else { throw .invalidArgument("Invalid value for \(name)") }
            self[keyPath: member] = text
        }
        if let color = value["color"] {
            let sides = (color["textColor"]?.string, color["backgroundColor"]?.string)
            guard let text = sides.0, let background = sides.1 else { throw .invalidArgument("Invalid color") }
            self.color = (text, background)
        }
    }
}

/// A change to a mailbox, as returned by `history.list`.
struct GmailHistory: Sendable {
    /// The type of a change, as in `historyTypes`.
    ///
    /// The name of the member in the response is the plural form.
    enum Kind: String, Sendable {
        case messagesAdded = "messageAdded"
        case messagesDeleted = "messageDeleted"
        case labelsAdded = "labelAdded"
        case labelsRemoved = "labelRemoved"
    }

    let id: Int
    let kind: Kind
    /// The message as it was after the change.
    let message: GmailMessage
    /// The labels that were added or removed.
    let labels: [String]

    var node: JSONNode {
        let change = JSONNode.members([
            "message": self.message.summary, "labelIds": self.labels.isEmpty ? nil : self.labels,
        ])
        return .members(["id": String(self.id), "messages": [self.message.reference], "\(self.kind)": [change]])
    }
}

struct GmailDraft: Sendable {
    let id: String
    var messageID: String
}
#endif
