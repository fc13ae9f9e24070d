// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

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

    static func milliseconds(_ time: Date) -> Int64 { Int64(max(-1e15, min(1e15, time.timeIntervalSince1970 * 1000))) }

    func profile(_ call: APICall) -> JSONNode {
        let mailbox = self[call.account]
        return [
            "emailAddress": .string(call.account.email), "messagesTotal": .integer(Int64(mailbox.messages.count)),
            "threadsTotal": .integer(Int64(Set(mailbox.messages.map(\.threadID)).count)),
            "historyId": .string(String(mailbox.historyID)),
        ]
    }
}

extension GmailPost {
    /// `messages.list`: the newest first.
    func list(_ call: APICall) throws(APIFailure) -> JSONNode {
        .object(try self.page(self.found(call), call, name: "messages") { $0.reference })
    }

    func message(_ call: APICall) throws(APIFailure) -> JSONNode {
        let format = try Self.format(call)
        return try self.existing(call, call.id).node(format, headers: call.parameters.values("metadataHeaders"))
    }

    func attachment(_ call: APICall) throws(APIFailure) -> JSONNode {
        let message = try self.existing(call, call.id)
        let id = call.request.parameter("attachment")
        guard let part = message.content.all.first(where: { $0.attachmentID == id && !$0.fileName.isEmpty }) else {
            throw .invalidArgument("Invalid attachment token")
        }
        return [
            "attachmentId": .string(id), "size": .integer(Int64(part.content.count)),
            "data": .string(MailBase64.encode(part.content)),
        ]
    }

    /// `threads.list`: the one with the newest message first.
    func listThreads(_ call: APICall) throws(APIFailure) -> JSONNode {
        var seen: Set<String> = []
        let newest = try self.found(call).filter { seen.insert($0.threadID).inserted }
        let threads = try self.page(newest, call, name: "threads") { message in
            [
                "id": .string(message.threadID), "snippet": .string(message.snippet),
                "historyId": .string(String(message.historyID)),
            ]
        }
        return .object(threads)
    }

    func thread(_ call: APICall) throws(APIFailure) -> JSONNode {
        let format = try Self.format(call)
        let messages = self[call.account].thread(call.id)
        guard let historyID = messages.map(\.historyID).max() else { throw .entityNotFound }
        guard format != .raw else { throw .invalidArgument("A thread has no format raw.") }
        let headers = call.parameters.values("metadataHeaders")
        return [
            "id": .string(call.id), "historyId": .string(String(historyID)),
            "messages": .array(messages.map { $0.node(format, headers: headers) }),
        ]
    }

    func existing(_ call: APICall, _ id: String) throws(APIFailure) -> GmailMessage {
        guard let message = self[call.account].message(id) else { throw .entityNotFound }
        return message
    }

    /// Some of the items, with the token for more.
    func page<Item>(
        _ items: [Item],
        _ call: APICall,
        name: String,
        _ node: (Item) -> JSONNode
    ) throws(APIFailure) -> [JSONMember] {
        let parameters = call.parameters
        let question = ([parameters["q"] ?? "", name] + parameters.values("labelIds")).joined(separator: "|")
        let size = try parameters.number("maxResults", in: 1...500) ?? 100
        guard let page = PageToken.page(items, from: parameters["pageToken"], of: size, question) else {
            throw .invalidArgument("Invalid pageToken")
        }
        return JSONMember.list([
            name: page.items.isEmpty ? nil : .array(page.items.map(node)), "nextPageToken": page.next,
            "resultSizeEstimate": .integer(Int64(items.count)),
        ])
    }

    /// What `q` and `labelIds` find; without the trash and spam, unless they are asked for.
    func found(_ call: APICall) throws(APIFailure) -> [GmailMessage] {
        let mailbox = self[call.account]
        let wanted = call.parameters.values("labelIds")
        if let unknown = wanted.first(where: { id in !mailbox.allLabels.contains { $0.id == id } }) {
            throw .invalidArgument("Invalid label: \(unknown.prefix(100))")
        }
        if call.parameters["q"] != nil, !call.readsBodies {
            throw .forbidden("forbidden", "Metadata scope does not support 'q' parameter")
        }
        let query = call.parameters["q"].map(GmailQuery.init)
        let names = Dictionary(mailbox.labels.map { ($0.id, $0.name) }) { first, _ in first }
        let hidden = ["TRASH", "SPAM"].filter { !wanted.contains($0) }
        let showsHidden = try call.parameters.flag("includeSpamTrash") || query?.wantsEverywhere ?? false
        return mailbox.messages.reversed()
            .filter { message in
                wanted.allSatisfy(message.labels.contains)
                    && (showsHidden || !hidden.contains(where: message.labels.contains))
                    && query?.matches(message, labels: names) ?? true
            }
            .sorted { $0.time > $1.time }
    }

    /// The format that a call asks for; a token for metadata reads no body.
    static func format(_ call: APICall) throws(APIFailure) -> GmailMessage.Format {
        guard let format = GmailMessage.Format(rawValue: call.parameters["format"]?.lowercased() ?? "full") else {
            throw .invalidArgument("Invalid value for format")
        }
        guard call.readsBodies || format == .metadata || format == .minimal else {
            throw .forbidden("forbidden", "Metadata scope doesn't allow format \(format.rawValue.uppercased())")
        }
        return format
    }

    /// `history.list`: what happened to the mailbox since a number.
    func history(_ call: APICall) throws(APIFailure) -> JSONNode {
        guard let text = call.parameters["startHistoryId"] else {
            throw .invalidArgument("Missing required parameter: startHistoryId")
        }
        let mailbox = self[call.account]
        guard let start = Int(text) else { throw .invalidArgument("Invalid startHistoryId") }
        guard (1000...mailbox.historyID).contains(start) else { throw .entityNotFound }
        let kinds = call.parameters.values("historyTypes")
        let label = call.parameters["labelId"]
        let found = mailbox.history.filter { change in
            change.id > start && (kinds.isEmpty || kinds.contains(change.kind.type))
                && label.map { change.message.labels.contains($0) || change.labels.contains($0) } ?? true
        }
        var members = try self.page(found, call, name: "history", \.node)
        members.removeAll { $0.name == "resultSizeEstimate" }
        return .object(members + JSONMember.list(["historyId": .string(String(mailbox.historyID))]))
    }
}
#endif
