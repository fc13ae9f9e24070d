// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
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
#endif
