// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Crypto
internal import TesseraJSON

/// One person's messages, with their labels and drafts, and what happened to them.
struct GmailMailbox: Sendable {
    let account: LocalProviderAccount
    /// In the order in which they came.
    private(set) var messages: [GmailMessage] = []
    /// The person's own labels.
    private(set) var labels: [GmailLabel] = []
    private(set) var drafts: [GmailDraft] = []
    private(set) var history: [GmailHistory] = []
    /// The number of the last change.
    private(set) var historyID = 1000
    private var lastNumber = 0

    init(account: LocalProviderAccount) { self.account = account }

    func message(_ id: String) -> GmailMessage? { self.messages.first { $0.id == id } }

    func thread(_ id: String) -> [GmailMessage] { self.messages.filter { $0.threadID == id } }

    var allLabels: [GmailLabel] { GmailLabel.system + self.labels }

    /// Takes a message in; with no thread named it joins the one that it answers, or begins its own.
    @discardableResult
    mutating func add(_ raw: [UInt8], labels: [String], threadID: String? = nil, at time: Int64) -> GmailMessage? {
        guard let head = MessageHead(raw[...]) else { return nil }
        let id = self.newID()
        let content = MailPart(head)
        let message = GmailMessage(
            id: id,
            threadID: threadID ?? self.thread(answeredBy: head) ?? id,
            labels: labels,
            time: time,
            raw: raw,
            content: content,
            historyID: self.historyID + 1
        )
        self.messages.append(message)
        self.note(.messageAdded, message)
        return message
    }

    /// Removes a message for good.
    mutating func remove(_ id: String) {
        guard let message = self.message(id) else { return }
        self.messages.removeAll { $0.id == id }
        self.drafts.removeAll { $0.messageID == id }
        self.note(.messageDeleted, message)
    }

    /// Gives labels to a message and takes others away.
    mutating func change(_ id: String, adding: [String], removing: [String]) {
        guard let index = self.messages.firstIndex(where: { $0.id == id }) else { return }
        let added = adding.filter { !self.messages[index].labels.contains($0) }
        let removed = removing.filter(self.messages[index].labels.contains)
        self.messages[index].labels.removeAll(where: removed.contains)
        self.messages[index].labels += added
        for (kind, labels) in [(GmailHistory.Kind.labelAdded, added), (.labelRemoved, removed)] where !labels.isEmpty {
            self.messages[index].historyID = self.historyID + 1
            self.note(kind, self.messages[index], labels)
        }
    }

    /// Keeps a label under its identifier, or under a new one.
    mutating func keep(_ label: GmailLabel) {
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

    /// Keeps a message as a draft; under an identifier that is there it replaces the draft's message.
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

    /// Sixteen hexadecimal digits: the same for the same person's same message, run after run.
    private mutating func newID() -> String {
        let text = "\(self.account.subject)|\(self.number())"
        return SHA256.hash(data: Array(text.utf8)).prefix(8)
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            .joined()
    }

    /// The thread of a message that another one refers to.
    private func thread(answeredBy head: MessageHead) -> String? {
        let references = ["In-Reply-To", "References"].compactMap { head[$0] }.joined(separator: " ")
        guard !references.isEmpty else { return nil }
        return self.messages.last { message in
            message.field("Message-ID").map { !$0.isEmpty && references.contains($0) } ?? false
        }?
        .threadID
    }
}
#endif
