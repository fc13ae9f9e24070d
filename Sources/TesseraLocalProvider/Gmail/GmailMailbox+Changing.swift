// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON

extension GmailMailbox {
    enum Unit: Sendable {
        case message, thread
    }

    mutating func modify(_ call: APICall, _ unit: Unit) throws(APIFailure) -> JSONNode {
        _ = try self.messages(call, unit)
        let (added, removed) = try self.labelChange(call)
        return try self.change(call, unit, adding: added, removing: removed)
    }

    /// Adds and removes labels, including the one for the trash, and returns the changed messages.
    mutating func change(
        _ call: APICall,
        _ unit: Unit,
        adding added: [String],
        removing removed: [String]
    ) throws(APIFailure) -> JSONNode {
        for message in try self.messages(call, unit) {
            self.change(message.id, adding: added, removing: removed)
        }
        let summaries = try self.messages(call, unit).map(\.summary)
        return unit == .thread ? .members(["id": call.id, "messages": summaries]) : summaries[0]
    }

    mutating func modifyMessages(_ call: APICall) throws(APIFailure) -> JSONNode? {
        let ids = try Self.ids(call)
        let (added, removed) = try self.labelChange(call)
        for id in ids { self.change(id, adding: added, removing: removed) }
        return nil
    }

    mutating func deleteMessages(_ call: APICall) throws(APIFailure) -> JSONNode? {
        for id in try Self.ids(call) { self.remove(id) }
        return nil
    }

    mutating func delete(_ call: APICall, _ unit: Unit) throws(APIFailure) -> JSONNode? {
        for message in try self.messages(call, unit) { self.remove(message.id) }
        return nil
    }

    /// Returns the message in the path, or the messages in the thread in the path.
    private func messages(_ call: APICall, _ unit: Unit) throws(APIFailure) -> [GmailMessage] {
        guard unit == .thread else { return [try self.existing(call.id)] }
        let messages = self.thread(call.id)
        guard !messages.isEmpty else { throw .entityNotFound }
        return messages
    }

    /// Returns the labels that a request adds and removes.
    private func labelChange(_ call: APICall) throws(APIFailure) -> (added: [String], removed: [String]) {
        let value = try call.object()
        let added = value["addLabelIds"]?.elements?.compactMap(\.string) ?? []
        let removed = value["removeLabelIds"]?.elements?.compactMap(\.string) ?? []
        guard !added.isEmpty || !removed.isEmpty else { throw .invalidArgument("No label add or removes specified") }
        guard added.count <= 100, removed.count <= 100 else { throw .invalidArgument("Too many labels") }
        guard Set(added).isDisjoint(with: removed) else {
            throw .invalidArgument("Cannot both add and remove the same label")
        }
        try self.checkLabels(added + removed, fixed: GmailLabel.fixed)
        return (added, removed)
    }

    /// Throws an error if a label is unknown or cannot be added or removed by users.
    func checkLabels(_ ids: [String], fixed: Set<String>) throws(APIFailure) {
        let known = Set(self.allLabels.map(\.id)).subtracting(fixed)
        if let unknown = ids.first(where: { !known.contains($0) }) {
            throw .invalidArgument("Invalid label: \(unknown.prefix(100))")
        }
    }

    private static func ids(_ call: APICall) throws(APIFailure) -> [String] {
        guard let value = try? JSONValue(parsing: call.request.body), let elements = value["ids"]?.elements,
            elements.count <= 1000
        else { throw .invalidArgument("A batch request must contain a list of at most 1000 ids.") }
        return elements.compactMap(\.string)
    }

    /// Handles `labels.get`, which includes the number of messages and threads.
    func getLabel(_ call: APICall) throws(APIFailure) -> JSONNode {
        let label = try self.existingLabel(call)
        let messages = self.messages.filter { $0.labels.contains(label.id) }
        let unread = messages.filter { $0.labels.contains("UNREAD") }
        return .object(
            label.members
                + JSONMember.list([
                    "messagesTotal": messages.count, "messagesUnread": unread.count,
                    "threadsTotal": Set(messages.map(\.threadID)).count,
                    "threadsUnread": Set(unread.map(\.threadID)).count,
                ])
        )
    }

    mutating func createLabel(_ call: APICall) throws(APIFailure) -> JSONNode {
        let value = try call.object()
        guard value["name"] != nil else { throw .invalidArgument("Missing label name") }
        // Validate the label first, so that a rejected label does not use up an ID.
        var label = GmailLabel(id: "", name: "")
        try label.apply(value)
        try self.checkName(of: label)
        var saved = GmailLabel(id: self.newLabelID(), name: label.name)
        try saved.apply(value)
        self.save(saved)
        return .object(saved.members)
    }

    mutating func changeLabel(_ call: APICall) throws(APIFailure) -> JSONNode {
        var label = try self.existingLabel(call)
        guard !label.isSystem else { throw .invalidArgument("Cannot update system label: \(label.id)") }
        try label.apply(try call.object())
        try self.checkName(of: label)
        self.save(label)
        return .object(label.members)
    }

    mutating func deleteLabel(_ call: APICall) throws(APIFailure) -> JSONNode? {
        guard !(try self.existingLabel(call)).isSystem else { throw .invalidArgument("Invalid delete request") }
        self.removeLabel(call.id)
        return nil
    }

    private func existingLabel(_ call: APICall) throws(APIFailure) -> GmailLabel {
        guard let label = self.allLabels.first(where: { $0.id == call.id }) else { throw .entityNotFound }
        return label
    }

    private func checkName(of label: GmailLabel) throws(APIFailure) {
        let others = self.labels.filter { $0.id != label.id }
        guard !others.contains(where: { $0.name.lowercased() == label.name.lowercased() }) else {
            throw APIFailure(.conflict, "aborted", "Label name exists or conflicts", statusName: "ABORTED")
        }
    }
}

extension APICall {
    fileprivate func object() throws(APIFailure) -> JSONValue {
        guard let value = try? JSONValue(parsing: self.request.body), value.kind == .object else {
            throw .badRequest("Parse Error")
        }
        return value
    }
}
#endif
