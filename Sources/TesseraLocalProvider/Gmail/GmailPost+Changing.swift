// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON

extension GmailPost {
    /// Gives labels and takes them away, moves into the trash and out of it, or removes for good.
    mutating func change(_ call: GmailCall, _ request: EndpointRequest) throws(APIFailure) -> JSONNode? {
        switch call.operation {
        case .modifyMessage(let id), .modifyThread(let id):
            let messages = try self.messages(call, id)
            let (added, removed) = try self.labelChange(call, request)
            return try self.change(messages, call, id, adding: added, removing: removed)
        case .trashMessage(let id), .trashThread(let id):
            return try self.change(try self.messages(call, id), call, id, adding: ["TRASH"], removing: ["INBOX"])
        case .untrashMessage(let id), .untrashThread(let id):
            return try self.change(try self.messages(call, id), call, id, adding: [], removing: ["TRASH"])
        case .modifyMessages:
            let ids = try Self.ids(request)
            let (added, removed) = try self.labelChange(call, request)
            for id in ids { self[call.account].change(id, adding: added, removing: removed) }
            return nil
        case .deleteMessages:
            for id in try Self.ids(request) { self[call.account].remove(id) }
            return nil
        case .deleteMessage(let id), .deleteThread(let id):
            for message in try self.messages(call, id) { self[call.account].remove(message.id) }
            return nil
        default:
            throw .invalidArgument("This changes nothing.")
        }
    }

    /// The message that an operation is about, or those of its thread.
    private func messages(_ call: GmailCall, _ id: String) throws(APIFailure) -> [GmailMessage] {
        switch call.operation {
        case .modifyThread, .trashThread, .untrashThread, .deleteThread:
            let messages = self[call.account].thread(id)
            guard !messages.isEmpty else { throw .entityNotFound }
            return messages
        default:
            return [try self.existing(call, id)]
        }
    }

    /// Changes the labels and answers what they are now.
    private mutating func change(
        _ messages: [GmailMessage],
        _ call: GmailCall,
        _ id: String,
        adding added: [String],
        removing removed: [String]
    ) throws(APIFailure) -> JSONNode {
        for message in messages { self[call.account].change(message.id, adding: added, removing: removed) }
        switch call.operation {
        case .modifyThread, .trashThread, .untrashThread:
            let summaries = self[call.account].thread(id).map(\.summary)
            return ["id": .string(id), "messages": .array(summaries)]
        default:
            return try self.existing(call, id).summary
        }
    }

    /// The labels that a request gives, and those that it takes away.
    private func labelChange(
        _ call: GmailCall,
        _ request: EndpointRequest
    ) throws(APIFailure) -> (added: [String], removed: [String]) {
        guard let value = try? JSONValue(parsing: request.body), value.kind == .object else {
            throw .badRequest("Parse Error")
        }
        let added = value["addLabelIds"]?.elements?.compactMap { $0.string } ?? []
        let removed = value["removeLabelIds"]?.elements?.compactMap { $0.string } ?? []
        guard !added.isEmpty || !removed.isEmpty else { throw .invalidArgument("No label add or removes specified") }
        guard added.count <= 100, removed.count <= 100 else { throw .invalidArgument("Too many labels") }
        guard Set(added).isDisjoint(with: removed) else {
            throw .invalidArgument("Cannot both add and remove the same label")
        }
        try self.checkLabels(added + removed, call, fixed: GmailLabel.fixed)
        return (added, removed)
    }

    /// Throws for a label that is none, or that nobody gives.
    func checkLabels(_ ids: [String], _ call: GmailCall, fixed: Set<String>) throws(APIFailure) {
        let known = Set(self[call.account].allLabels.map(\.id)).subtracting(fixed)
        if let unknown = ids.first(where: { !known.contains($0) }) {
            throw .invalidArgument("Invalid label: \(unknown.prefix(100))")
        }
    }

    private static func ids(_ request: EndpointRequest) throws(APIFailure) -> [String] {
        guard let value = try? JSONValue(parsing: request.body), let elements = value["ids"]?.elements,
            elements.count <= 1000
        else { throw .invalidArgument("A change of many messages names at most 1000 ids.") }
        return elements.compactMap { $0.string }
    }
}

extension GmailPost {
    /// `labels.list`.
    func labels(_ call: GmailCall) -> JSONNode {
        ["labels": .array(self[call.account].allLabels.map { .object($0.members) })]
    }

    /// `labels.get`, with how much bears the label.
    func label(_ call: GmailCall, _ id: String) throws(APIFailure) -> JSONNode {
        let label = try self.existingLabel(call, id)
        let messages = self[call.account].messages.filter { $0.labels.contains(id) }
        let unread = messages.filter { $0.labels.contains("UNREAD") }
        let counts = [
            ("messagesTotal", messages.count), ("messagesUnread", unread.count),
            ("threadsTotal", Set(messages.map(\.threadID)).count),
            ("threadsUnread", Set(unread.map(\.threadID)).count),
        ]
        return .object(label.members + counts.map { JSONMember(name: $0.0, value: .integer(Int64($0.1))) })
    }

    /// `labels.create`.
    mutating func createLabel(_ call: GmailCall, _ request: EndpointRequest) throws(APIFailure) -> JSONNode {
        let value = try Self.object(request)
        guard value["name"] != nil else { throw .invalidArgument("Missing label name") }
        // A label that is refused uses no number up.
        var label = GmailLabel(id: "", name: "")
        try label.apply(value)
        try self.checkName(of: label, call)
        var kept = GmailLabel(id: self[call.account].newLabelID(), name: label.name)
        try kept.apply(value)
        self[call.account].keep(kept)
        return .object(kept.members)
    }

    /// `labels.patch` and `labels.update`.
    mutating func changeLabel(
        _ call: GmailCall,
        _ request: EndpointRequest,
        _ id: String
    ) throws(APIFailure) -> JSONNode {
        var label = try self.existingLabel(call, id)
        guard !label.isSystem else { throw .invalidArgument("Cannot update system label: \(id)") }
        try label.apply(try Self.object(request))
        try self.checkName(of: label, call)
        self[call.account].keep(label)
        return .object(label.members)
    }

    /// `labels.delete`.
    mutating func deleteLabel(_ call: GmailCall, _ id: String) throws(APIFailure) -> JSONNode? {
        guard !(try self.existingLabel(call, id)).isSystem else { throw .invalidArgument("Invalid delete request") }
        self[call.account].removeLabel(id)
        return nil
    }

    private func existingLabel(_ call: GmailCall, _ id: String) throws(APIFailure) -> GmailLabel {
        guard let label = self[call.account].allLabels.first(where: { $0.id == id }) else { throw .entityNotFound }
        return label
    }

    private func checkName(of label: GmailLabel, _ call: GmailCall) throws(APIFailure) {
        let others = self[call.account].labels.filter { $0.id != label.id }
        guard !others.contains(where: { $0.name.lowercased() == label.name.lowercased() }) else {
            throw APIFailure(
                status: .conflict,
                statusName: "ABORTED",
                reason: "aborted",
                message: "Label name exists or conflicts"
            )
        }
    }

    private static func object(_ request: EndpointRequest) throws(APIFailure) -> JSONValue {
        guard let value = try? JSONValue(parsing: request.body), value.kind == .object else {
            throw .badRequest("Parse Error")
        }
        return value
    }
}
#endif
