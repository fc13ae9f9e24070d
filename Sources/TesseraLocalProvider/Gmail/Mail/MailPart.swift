// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJSON

/// A message's content, or a part of it.
struct MailPart: Sendable {
    /// How deep parts are in parts at most; what is deeper stays unread.
    private static let depthLimit = 8

    /// The place in the whole: empty for the whole itself, then `0`, `0.1`.
    var id: String
    var mimeType: String
    var fileName: String
    var fields: [(name: String, value: String)]
    /// The bytes, decoded; empty where there are parts.
    var content: [UInt8]
    var parts: [MailPart]

    init(_ head: MessageHead, id: String = "", depth: Int = 0) {
        let type = head["Content-Type"] ?? "text/plain"
        self.id = id
        self.mimeType = type.fieldValue.isEmpty ? "text/plain" : type.fieldValue
        let name = head["Content-Disposition"]?.fieldParameter("filename") ?? type.fieldParameter("name")
        self.fileName = name.map(MailCoding.decode) ?? ""
        self.fields = head.fields.map { ($0.name, MailCoding.decode($0.value)) }
        self.parts = []
        self.content = []
        let content = head.content ?? []
        if self.mimeType.hasPrefix("multipart/"), depth < Self.depthLimit,
            let body = try? MultipartBody(content, contentType: type)
        {
            self.parts = body.parts.enumerated()
                .map { index, part in
                    MailPart(part, id: id.isEmpty ? String(index) : "\(id).\(index)", depth: depth + 1)
                }
        } else {
            self.content = MailCoding.decode(content, encoding: head["Content-Transfer-Encoding"])
        }
    }

    /// This part and all in it.
    var all: [MailPart] { [self] + self.parts.flatMap(\.all) }

    /// What is to be read, and is no attachment.
    var text: String {
        let texts = self.all.filter { $0.fileName.isEmpty && $0.parts.isEmpty }
        let part = texts.first { $0.mimeType == "text/plain" } ?? texts.first { $0.mimeType.hasPrefix("text/") }
        return String(decoding: part?.content ?? [], as: UTF8.self)
    }

    /// The part as `messages.get` shows it; an attachment's bytes are asked for by themselves.
    var node: JSONNode {
        var body = [JSONMember(name: "size", value: .integer(Int64(self.content.count)))]
        if !self.fileName.isEmpty {
            body.append(JSONMember(name: "attachmentId", value: .string(self.attachmentID)))
        } else if !self.content.isEmpty {
            body.append(JSONMember(name: "data", value: .string(MailBase64.encode(self.content))))
        }
        var members = [
            JSONMember(name: "partId", value: .string(self.id)),
            JSONMember(name: "mimeType", value: .string(self.mimeType)),
            JSONMember(name: "filename", value: .string(self.fileName)),
            JSONMember(name: "headers", value: Self.node(self.fields)),
            JSONMember(name: "body", value: .object(body)),
        ]
        if !self.parts.isEmpty {
            members.append(JSONMember(name: "parts", value: .array(self.parts.map(\.node))))
        }
        return .object(members)
    }

    var attachmentID: String { "attachment-" + (self.id.isEmpty ? "0" : self.id) }

    static func node(_ fields: [(name: String, value: String)]) -> JSONNode {
        .array(fields.map { ["name": .string($0.name), "value": .string($0.value)] })
    }
}
#endif
