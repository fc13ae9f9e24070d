// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJSON

extension GmailPost {
    /// `messages.list`: the newest first.
    func list(_ call: GmailCall) throws(APIFailure) -> JSONNode {
        try self.page(self.found(call), call, name: "messages", default: 100) { $0.reference }
    }

    /// `messages.get`.
    func message(_ call: GmailCall, _ id: String) throws(APIFailure) -> JSONNode {
        let format = try Self.format(call)
        return try self.existing(call, id).node(format, headers: call.parameters.values("metadataHeaders"))
    }

    /// `messages.attachments.get`.
    func attachment(_ call: GmailCall, _ id: String, of messageID: String) throws(APIFailure) -> JSONNode {
        let message = try self.existing(call, messageID)
        guard let part = message.content.all.first(where: { $0.attachmentID == id && !$0.fileName.isEmpty }) else {
            throw .invalidArgument("Invalid attachment token")
        }
        return [
            "attachmentId": .string(id), "size": .integer(Int64(part.content.count)),
            "data": .string(MailBase64.encode(part.content)),
        ]
    }

    /// `threads.list`: the one with the newest message first.
    func listThreads(_ call: GmailCall) throws(APIFailure) -> JSONNode {
        var seen: Set<String> = []
        let newest = try self.found(call).filter { seen.insert($0.threadID).inserted }
        return try self.page(newest, call, name: "threads", default: 100) { message in
            [
                "id": .string(message.threadID), "snippet": .string(message.snippet),
                "historyId": .string(String(message.historyID)),
            ]
        }
    }

    /// `threads.get`.
    func thread(_ call: GmailCall, _ id: String) throws(APIFailure) -> JSONNode {
        let format = try Self.format(call)
        let messages = self[call.account].thread(id)
        guard let historyID = messages.map(\.historyID).max() else { throw .entityNotFound }
        guard format != .raw else { throw .invalidArgument("A thread has no format raw.") }
        let headers = call.parameters.values("metadataHeaders")
        return [
            "id": .string(id), "historyId": .string(String(historyID)),
            "messages": .array(messages.map { $0.node(format, headers: headers) }),
        ]
    }

    /// A message of the caller's.
    func existing(_ call: GmailCall, _ id: String) throws(APIFailure) -> GmailMessage {
        guard let message = self[call.account].message(id) else { throw .entityNotFound }
        return message
    }

    /// Some of the items, with the token for more.
    func page<Item>(
        _ items: [Item],
        _ call: GmailCall,
        name: String,
        default size: Int,
        _ node: (Item) -> JSONNode
    ) throws(APIFailure) -> JSONNode {
        let parameters = call.parameters
        let question = ([parameters["q"] ?? "", name] + parameters.values("labelIds")).joined(separator: "|")
        guard let start = PageToken.start(parameters["pageToken"], question) else {
            throw .invalidArgument("Invalid pageToken")
        }
        let size = try parameters.number("maxResults", in: 1...500) ?? size
        let page = items.dropFirst(start).prefix(size)
        var members: [JSONMember] = []
        if !page.isEmpty { members.append(JSONMember(name: name, value: .array(page.map(node)))) }
        if start + page.count < items.count {
            let token = PageToken.text(start + page.count, question)
            members.append(JSONMember(name: "nextPageToken", value: .string(token)))
        }
        members.append(JSONMember(name: "resultSizeEstimate", value: .integer(Int64(items.count))))
        return .object(members)
    }

    /// What `q` and `labelIds` find; without the trash and spam, unless they are asked for.
    func found(_ call: GmailCall) throws(APIFailure) -> [GmailMessage] {
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
    static func format(_ call: GmailCall) throws(APIFailure) -> GmailMessage.Format {
        guard let format = GmailMessage.Format(rawValue: call.parameters["format"]?.lowercased() ?? "full") else {
            throw .invalidArgument("Invalid value for format")
        }
        guard call.readsBodies || format == .metadata || format == .minimal else {
            throw .forbidden("forbidden", "Metadata scope doesn't allow format \(format.rawValue.uppercased())")
        }
        return format
    }
}

extension GmailPost {
    /// `history.list`: what happened to the mailbox since a number.
    func history(_ call: GmailCall) throws(APIFailure) -> JSONNode {
        guard let text = call.parameters["startHistoryId"] else {
            throw .invalidArgument("Missing required parameter: startHistoryId")
        }
        let mailbox = self[call.account]
        guard let start = Int(text) else { throw .invalidArgument("Invalid startHistoryId") }
        guard (1000...mailbox.historyID).contains(start) else { throw .entityNotFound }
        let kinds = call.parameters.values("historyTypes")
        let label = call.parameters["labelId"]
        let found = mailbox.history.filter { change in
            change.id > start && (kinds.isEmpty || kinds.contains(change.kind.rawValue))
                && label.map { change.message.labels.contains($0) || change.labels.contains($0) } ?? true
        }
        guard case .object(var members) = try self.page(found, call, name: "history", default: 100, \.node) else {
            return [:]
        }
        members.removeAll { $0.name == "resultSizeEstimate" }
        members.append(JSONMember(name: "historyId", value: .string(String(mailbox.historyID))))
        return .object(members)
    }
}
#endif
