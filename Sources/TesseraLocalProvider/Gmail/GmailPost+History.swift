// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJSON

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
