// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraJSON

extension GmailPost {
    /// Sends a message: the sender keeps it, and everybody here whom it names gets it.
    mutating func send(_ payload: GmailPayload, _ call: GmailCall, at now: Date) throws(APIFailure) -> GmailMessage {
        let raw = try payload.message()
        let threadID = try self.thread(payload, call)
        let time = Self.milliseconds(now)
        let name = "\(self[call.account].historyID).\(call.account.subject)"
        let mail = try OutgoingMail(raw, from: call.account, id: name, at: now)
        let isOwn = mail.recipients.contains(call.account.email.lowercased())
        let labels = isOwn ? ["UNREAD", "SENT", "INBOX"] : ["SENT"]
        guard let sent = self[call.account].add(mail.sent, labels: labels, threadID: threadID, at: time) else {
            throw .invalidArgument("Invalid message")
        }
        for account in self.accounts where account.subject != call.account.subject {
            let address = account.email.lowercased()
            guard mail.recipients.contains(address) else { continue }
            self[account].add(mail.received(by: account.email), labels: ["UNREAD", "INBOX"], at: time)
        }
        return sent
    }

    /// `messages.insert`: a message that comes without being sent.
    mutating func insert(_ payload: GmailPayload, _ call: GmailCall, at now: Date) throws(APIFailure) -> JSONNode {
        let raw = try payload.message()
        try self.checkLabels(payload.labelIDs, call, fixed: [])
        let thread = try self.thread(payload, call)
        let time = Self.milliseconds(now)
        guard let message = self[call.account].add(raw, labels: payload.labelIDs, threadID: thread, at: time) else {
            throw .invalidArgument("Invalid message")
        }
        return message.summary
    }

    /// The thread that a client names; it has to be there.
    private func thread(_ payload: GmailPayload, _ call: GmailCall) throws(APIFailure) -> String? {
        guard let id = payload.threadID, !id.isEmpty else { return nil }
        guard !self[call.account].thread(id).isEmpty else { throw .entityNotFound }
        return id
    }

    /// `drafts.list`.
    func listDrafts(_ call: GmailCall) throws(APIFailure) -> JSONNode {
        let found = try self.found(call)
        let drafts = self[call.account].drafts.reversed()
            .compactMap { draft in
                found.first { $0.id == draft.messageID }.map { (draft, $0) }
            }
        return try self.page(drafts, call, name: "drafts", default: 100) { draft, message in
            ["id": .string(draft.id), "message": message.reference]
        }
    }

    /// `drafts.get`.
    func draft(_ call: GmailCall, _ id: String) throws(APIFailure) -> JSONNode {
        let draft = try self.existingDraft(call, id)
        let format = try Self.format(call)
        return ["id": .string(id), "message": try self.existing(call, draft.messageID).node(format)]
    }

    /// `drafts.create` and `drafts.update`.
    mutating func keepDraft(
        _ call: GmailCall,
        _ request: EndpointRequest,
        _ id: String?,
        at now: Date
    ) throws(APIFailure) -> JSONNode {
        let payload = try GmailPayload(request, call, isDraft: true)
        let old = try id.map { id throws(APIFailure) in try self.existingDraft(call, id) }
        let raw = try payload.message()
        let named = try self.thread(payload, call)
        let thread = named ?? old.flatMap { self[call.account].message($0.messageID)?.threadID }
        let time = Self.milliseconds(now)
        guard let message = self[call.account].add(raw, labels: ["DRAFT"], threadID: thread, at: time) else {
            throw .invalidArgument("Invalid draft")
        }
        let draft = self[call.account].keepDraft(message, id: id)
        return ["id": .string(draft.id), "message": message.summary]
    }

    /// `drafts.send`: the draft is gone, and its message sent; a message that comes along takes its place.
    mutating func sendDraft(
        _ call: GmailCall,
        _ request: EndpointRequest,
        at now: Date
    ) throws(APIFailure) -> JSONNode {
        var payload = try GmailPayload(request, call, isDraft: true)
        guard let id = payload.draftID else { throw .invalidArgument("Invalid draft: its id is missing.") }
        let message = try self.existing(call, try self.existingDraft(call, id).messageID)
        payload.raw = payload.raw ?? message.raw
        payload.threadID = payload.threadID ?? message.threadID
        let sent = try self.send(payload, call, at: now)
        self[call.account].remove(message.id)
        return sent.summary
    }

    /// `drafts.delete`.
    mutating func deleteDraft(_ call: GmailCall, _ id: String) throws(APIFailure) -> JSONNode? {
        let draft = try self.existingDraft(call, id)
        self[call.account].remove(draft.messageID)
        return nil
    }

    private func existingDraft(_ call: GmailCall, _ id: String) throws(APIFailure) -> GmailDraft {
        guard let draft = self[call.account].drafts.first(where: { $0.id == id }) else { throw .entityNotFound }
        return draft
    }
}
#endif
