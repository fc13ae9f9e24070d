// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON

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
