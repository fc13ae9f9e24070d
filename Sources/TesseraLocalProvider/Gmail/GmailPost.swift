// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TesseraJSON

/// Every mailbox, and what goes from one to another.
struct GmailPost: Sendable {
    private var mailboxes: [String: GmailMailbox] = [:]
    let accounts: [LocalProviderAccount]

    /// Mailboxes with a welcome in each.
    init(_ accounts: [LocalProviderAccount], at now: Date) {
        self.accounts = accounts
        for account in accounts {
            let date = HTTPDate.text(secondsSince1970: now.timeIntervalSince1970).replacing("GMT", with: "+0000")
            let lines = [
                "From: Tessera Local Provider <provider@tessera.example>", "To: \(account.name) <\(account.email)>",
                "Subject: Welcome", "Date: \(date)", "Message-ID: <welcome-\(account.subject)@tessera.example>", "",
                "This message comes from the Tessera Local Provider. No real Gmail is involved.", "",
            ]
            let raw = Array(lines.joined(separator: "\r\n").utf8)
            self[account].add(raw, labels: ["INBOX", "UNREAD"], at: Self.milliseconds(now))
        }
    }

    subscript(_ account: LocalProviderAccount) -> GmailMailbox {
        get { self.mailboxes[account.subject] ?? GmailMailbox(account: account) }
        set { self.mailboxes[account.subject] = newValue }
    }

    static func milliseconds(_ time: Date) -> Int64 {
        Int64(max(-1e15, min(1e15, time.timeIntervalSince1970 * 1000)))
    }

    /// Carries a call out; nil for an answer without content.
    mutating func answer(
        _ call: GmailCall,
        _ request: EndpointRequest,
        at now: Date
    ) throws(APIFailure) -> JSONNode? {
        switch call.operation {
        case .profile: return self.profile(call)
        case .history: return try self.history(call)
        case .messages: return try self.list(call)
        case .message(let id): return try self.message(call, id)
        case .attachment(let message, let id): return try self.attachment(call, id, of: message)
        case .send: return try self.send(try GmailPayload(request, call, isDraft: false), call, at: now).summary
        case .insert: return try self.insert(try GmailPayload(request, call, isDraft: false), call, at: now)
        case .threads: return try self.listThreads(call)
        case .thread(let id): return try self.thread(call, id)
        case .labels: return self.labels(call)
        case .label(let id): return try self.label(call, id)
        case .createLabel: return try self.createLabel(call, request)
        case .changeLabel(let id): return try self.changeLabel(call, request, id)
        case .deleteLabel(let id): return try self.deleteLabel(call, id)
        case .drafts: return try self.listDrafts(call)
        case .draft(let id): return try self.draft(call, id)
        case .createDraft: return try self.keepDraft(call, request, nil, at: now)
        case .changeDraft(let id): return try self.keepDraft(call, request, id, at: now)
        case .sendDraft: return try self.sendDraft(call, request, at: now)
        case .deleteDraft(let id): return try self.deleteDraft(call, id)
        default: return try self.change(call, request)
        }
    }

    private func profile(_ call: GmailCall) -> JSONNode {
        let mailbox = self[call.account]
        return [
            "emailAddress": .string(call.account.email), "messagesTotal": .integer(Int64(mailbox.messages.count)),
            "threadsTotal": .integer(Int64(Set(mailbox.messages.map(\.threadID)).count)),
            "historyId": .string(String(mailbox.historyID)),
        ]
    }
}
#endif
