// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

extension GmailMailbox {
    /// Handles `messages.list`, which returns the newest messages first.
    func listMessages(_ call: APICall) throws(APIFailure) -> JSONNode {
        .object(try self.page(self.found(call), call, name: "messages") { $0.reference })
    }

    func getMessage(_ call: APICall) throws(APIFailure) -> JSONNode {
        let format = try Self.format(call)
        return try self.existing(call.id).node(format, headers: call.parameters.values("metadataHeaders"))
    }

    func getAttachment(_ call: APICall) throws(APIFailure) -> JSONNode {
        let message = try self.existing(call.id)
        let id = call.request.parameter("attachment")
        guard let part = message.content.all.first(where: { $0.attachmentID == id && !$0.fileName.isEmpty }) else {
            throw .invalidArgument("Invalid attachment token")
        }
        return .members([
            "attachmentId": id, "size": part.content.count, "data": Base64.encode(part.content, isURLSafe: true),
        ])
    }

    /// Handles `threads.list`, which sorts threads by their newest message.
    func listThreads(_ call: APICall) throws(APIFailure) -> JSONNode {
        var seen: Set<String> = []
        let newest = try self.found(call).filter { seen.insert($0.threadID).inserted }
        let threads = try self.page(newest, call, name: "threads") { message in
            .members(["id": message.threadID, "snippet": message.snippet, "historyId": String(message.historyID)])
        }
        return .object(threads)
    }

    func getThread(_ call: APICall) throws(APIFailure) -> JSONNode {
        let format = try Self.format(call)
        let messages = self.thread(call.id)
        guard let historyID = messages.map(\.historyID).max() else { throw .entityNotFound }
        guard format != .raw else { throw .invalidArgument("The format raw is not supported for threads.") }
        let headers = call.parameters.values("metadataHeaders")
        return .members([
            "id": call.id, "historyId": String(historyID),
            "messages": messages.map { $0.node(format, headers: headers) },
        ])
    }

    func existing(_ id: String) throws(APIFailure) -> GmailMessage {
        guard let message = self.message(id) else { throw .entityNotFound }
        return message
    }

    /// Returns a page of items with the next page's token.
    func page<Item>(
        _ items: [Item],
        _ call: APICall,
        name: String,
        _ node: (Item) -> JSONNode
    ) throws(APIFailure) -> [JSONMember] {
        let question = ([call.parameters["q"] ?? "", name] + call.parameters.values("labelIds")).joined(separator: "|")
        let page = try call.page(
            items,
            size: ("maxResults", 500),
            question,
            invalidToken: .invalidArgument("Invalid pageToken")
        )
        return JSONMember.list([
            name: page.items.isEmpty ? nil : page.items.map(node), "nextPageToken": page.next,
            "resultSizeEstimate": items.count,
        ])
    }

    /// Returns the messages that match `q` and `labelIds`.
    ///
    /// Trash and spam are excluded unless they were requested.
    func found(_ call: APICall) throws(APIFailure) -> [GmailMessage] {
        let wanted = call.parameters.values("labelIds")
        if let unknown = wanted.first(where: { id in !self.allLabels.contains { $0.id == id } }) {
            throw .invalidArgument("Invalid label: \(unknown.prefix(100))")
        }
        if call.parameters["q"] != nil, !call.readsBodies {
            throw .forbidden("forbidden", "Metadata scope does not support 'q' parameter")
        }
        let query = call.parameters["q"].map(GmailQuery.init)
        let names = Dictionary(self.labels.map { ($0.id, $0.name) }) { first, _ in first }
        let hidden = ["TRASH", "SPAM"].filter { !wanted.contains($0) }
        let showsHidden = try call.parameters.flag("includeSpamTrash") || query?.wantsEverywhere ?? false
        return self.messages.reversed()
            .filter { message in
                wanted.allSatisfy(message.labels.contains)
                    && (showsHidden || !hidden.contains(where: message.labels.contains))
                    && query?.matches(message, labels: names) ?? true
            }
            .sorted { $0.time > $1.time }
    }

    /// Returns the requested message format, if the scopes allow it.
    static func format(_ call: APICall) throws(APIFailure) -> GmailMessage.Format {
        guard let format = GmailMessage.Format(rawValue: call.parameters["format"]?.lowercased() ?? "full") else {
            throw .invalidArgument("Invalid value for format")
        }
        guard call.readsBodies || format == .metadata || format == .minimal else {
            throw .forbidden("forbidden", "Metadata scope doesn't allow format \(format.rawValue.uppercased())")
        }
        return format
    }

    /// Handles `history.list`, which returns the changes to the mailbox since a history ID.
    func listHistory(_ call: APICall) throws(APIFailure) -> JSONNode {
        guard let text = call.parameters["startHistoryId"] else {
            throw .invalidArgument("Missing required parameter: startHistoryId")
        }
        guard let start = Int(text) else { throw .invalidArgument("Invalid startHistoryId") }
        guard (1000...self.historyID).contains(start) else { throw .entityNotFound }
        let kinds = call.parameters.values("historyTypes")
        let label = call.parameters["labelId"]
        let found = self.history.filter { change in
            change.id > start && (kinds.isEmpty || kinds.contains(change.kind.rawValue))
                && label.map { change.message.labels.contains($0) || change.labels.contains($0) } ?? true
        }
        var members = try self.page(found, call, name: "history", \.node)
        members.removeAll { $0.name == "resultSizeEstimate" }
        return .object(members + JSONMember.list(["historyId": String(self.historyID)]))
    }
}
#endif
