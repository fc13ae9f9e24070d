// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraJSON

/// A message in a mailbox.
struct GmailMessage: Sendable {
    enum Format: String, Sendable {
        case full, metadata, minimal, raw
    }

    let id: String
    let threadID: String
    var labels: [String]
    /// When it came, in milliseconds since 1970.
    let time: Int64
    let raw: [UInt8]
    let content: MailPart
    /// The number of the last change.
    var historyID: Int

    /// The first field of that name.
    func field(_ name: String) -> String? {
        self.content.fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Every address in the fields of these names.
    func addresses(_ names: [String]) -> [String] {
        self.content.fields.filter { names.contains($0.name.lowercased()) }.flatMap { MailAddress.all(in: $0.value) }
    }

    /// The beginning of what is to be read, on one line.
    var snippet: String {
        String(self.content.text.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(200))
    }

    /// The message in a list.
    var reference: JSONNode { ["id": .string(self.id), "threadId": .string(self.threadID)] }

    /// What a change answers.
    var summary: JSONNode {
        [
            "id": .string(self.id), "threadId": .string(self.threadID),
            "labelIds": .array(self.labels.map(JSONNode.string)),
        ]
    }

    func node(_ format: Format, headers: [String] = []) -> JSONNode {
        var members = [
            JSONMember(name: "id", value: .string(self.id)),
            JSONMember(name: "threadId", value: .string(self.threadID)),
            JSONMember(name: "labelIds", value: .array(self.labels.map(JSONNode.string))),
            JSONMember(name: "snippet", value: .string(self.snippet)),
        ]
        switch format {
        case .full:
            members.append(JSONMember(name: "payload", value: self.content.node))
        case .metadata:
            let wanted = Set(headers.map { $0.lowercased() })
            let fields = self.content.fields.filter { wanted.isEmpty || wanted.contains($0.name.lowercased()) }
            let payload: JSONNode = ["mimeType": .string(self.content.mimeType), "headers": MailPart.node(fields)]
            members.append(JSONMember(name: "payload", value: payload))
        case .raw:
            members.append(JSONMember(name: "raw", value: .string(MailBase64.encode(self.raw))))
        case .minimal:
            break
        }
        members += [
            JSONMember(name: "sizeEstimate", value: .integer(Int64(self.raw.count))),
            JSONMember(name: "historyId", value: .string(String(self.historyID))),
            JSONMember(name: "internalDate", value: .string(String(self.time))),
        ]
        return .object(members)
    }
}
#endif
