// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

extension GmailMailbox {
    /// Sends a message by storing it for the sender and delivering it to the recipients at this provider.
    mutating func send(_ call: APICall) throws(APIFailure) -> JSONNode {
        try self.send(try GmailPayload(call, isDraft: false), call).summary
    }

    private mutating func send(_ payload: GmailPayload, _ call: APICall) throws(APIFailure) -> GmailMessage {
        let raw = try payload.message()
        let threadID = try self.thread(payload)
        let mail = try OutgoingMail(
            raw,
            from: self.account,
            id: "\(self.historyID).\(self.account.subject)",
            at: call.now
        )
        let isOwn = mail.recipients.contains(self.account.email.lowercased())
        let labels = isOwn ? ["UNREAD", "SENT", "INBOX"] : ["SENT"]
        let sent = try self.save(mail.sent, labels, threadID, call)
        self.deliver(mail)
        return sent
    }

    private mutating func save(
        _ raw: [UInt8],
        _ labels: [String],
        _ threadID: String?,
        _ call: APICall
    ) throws(APIFailure) -> GmailMessage {
        let message = self.add(raw, labels: labels, threadID: threadID, at: call.now.milliseconds)
        guard let message else { throw .invalidArgument("Invalid message") }
        return message
    }

    /// Handles `messages.insert`, which adds a message without sending it.
    mutating func insert(_ call: APICall) throws(APIFailure) -> JSONNode {
        let payload = try GmailPayload(call, isDraft: false)
        let raw = try payload.message()
        try self.checkLabels(payload.labelIDs, fixed: [])
        return try self.save(raw, payload.labelIDs, try self.thread(payload), call).summary
    }

    /// Returns the thread that a request specifies.
    ///
    /// The thread must exist.
    private func thread(_ payload: GmailPayload) throws(APIFailure) -> String? {
        guard let id = payload.threadID, !id.isEmpty else { return nil }
        guard !self.thread(id).isEmpty else { throw .entityNotFound }
        return id
    }

    func listDrafts(_ call: APICall) throws(APIFailure) -> JSONNode {
        let found = try self.found(call)
        let drafts = self.drafts.reversed()
            .compactMap { draft in
                found.first { $0.id == draft.messageID }
                    .map { JSONNode.members(["id": draft.id, "message": $0.reference]) }
            }
        return .object(try self.page(drafts, call, name: "drafts") { $0 })
    }

    func getDraft(_ call: APICall) throws(APIFailure) -> JSONNode {
        let draft = try self.existingDraft(call.id)
        let format = try Self.format(call)
        return .members(["id": call.id, "message": try self.existing(draft.messageID).node(format)])
    }

    mutating func keepDraft(_ call: APICall) throws(APIFailure) -> JSONNode {
        let payload = try GmailPayload(call, isDraft: true)
        let old = try call.itemID.map { id throws(APIFailure) in try self.existingDraft(id) }
        let raw = try payload.message()
        let named = try self.thread(payload)
        let thread = named ?? old.flatMap { self.message($0.messageID)?.threadID }
        let message = try self.save(raw, ["DRAFT"], thread, call)
        let draft = self.keepDraft(message, id: call.itemID)
        return .members(["id": draft.id, "message": message.summary])
    }

    /// Handles `drafts.send`, which sends the draft's message or the message in the request and then deletes the draft.
    mutating func sendDraft(_ call: APICall) throws(APIFailure) -> JSONNode {
        var payload = try GmailPayload(call, isDraft: true)
        guard let id = payload.draftID else { throw .invalidArgument("Invalid draft: the id is missing.") }
        let message = try self.existing(try self.existingDraft(id).messageID)
        payload.raw = payload.raw ?? message.raw
        payload.threadID = payload.threadID ?? message.threadID
        let sent = try self.send(payload, call)
        self.remove(message.id)
        return sent.summary
    }

    mutating func deleteDraft(_ call: APICall) throws(APIFailure) -> JSONNode? {
        self.remove(try self.existingDraft(call.id).messageID)
        return nil
    }

    private func existingDraft(_ id: String) throws(APIFailure) -> GmailDraft {
        guard let draft = self.drafts.first(where: { $0.id == id }) else { throw .entityNotFound }
        return draft
    }
}

/// A message in a request, either base64-encoded in JSON or as an upload.
struct GmailPayload: Sendable {
    var raw: [UInt8]?
    var threadID: String?
    var labelIDs: [String]
    /// The ID of the draft that the request specifies.
    var draftID: String?

    init(_ call: APICall, isDraft: Bool) throws(APIFailure) {
        guard call.isUpload else {
            self = try Self(json: call.request.body, isDraft: isDraft)
            return
        }
        guard let (json, media, mediaType) = try call.request.upload(call.parameters["uploadType"]) else {
            throw .invalidArgument("The uploadType must be media or multipart.")
        }
        self = try Self(json: json, isDraft: isDraft, readsRaw: false)
        let type = mediaType?.fieldValue ?? ""
        guard type.hasPrefix("message/") else {
            throw .invalidArgument("Media type '\(type)' is not supported. Valid media types: [message/*]")
        }
        self.raw = media
    }

    private init(json bytes: [UInt8], isDraft: Bool, readsRaw: Bool = true) throws(APIFailure) {
        self.labelIDs = []
        if bytes.isEmpty { return }
        guard let value = try? JSONValue(parsing: bytes), value.kind == .object else {
            throw .parseError("Parse Error")
        }
        let message = isDraft ? value["message"] : value
        self.threadID = message?["threadId"]?.string
        self.labelIDs = message?["labelIds"]?.elements?.compactMap(\.string) ?? []
        self.draftID = isDraft ? value["id"]?.string : nil
        guard readsRaw, let text = message?["raw"] else { return }
        self.raw = text.string.flatMap { MailCoding.decodeBase64($0.utf8) }
        guard self.raw != nil else { throw .invalidArgument("Invalid value for ByteString: raw is not base64url.") }
    }

    /// Returns the message, or throws an error if it is missing or cannot be parsed.
    func message() throws(APIFailure) -> [UInt8] {
        guard let raw, !raw.isEmpty else {
            throw .invalidArgument(
                "'raw' RFC822 payload message string or uploading message via /upload/* URL required"
            )
        }
        guard MessageHead(raw[...]) != nil else {
            throw .invalidArgument("Invalid message: the header cannot be parsed.")
        }
        return raw
    }
}

/// An outgoing message, with the fields that are added for its sender and recipients.
struct OutgoingMail: Sendable {
    /// The message as stored for the sender.
    let sent: [UInt8]
    let recipients: [String]

    /// Creates a message, adding any fields that the client left out.
    ///
    /// The sender is always the account itself.
    init(_ raw: [UInt8], from account: LocalProviderAccount, id: String, at now: Date) throws(APIFailure) {
        guard let head = MessageHead(raw[...]) else { throw .invalidArgument("Invalid message") }
        let names = ["to", "cc", "bcc"]
        let fields = head.fields.filter { names.contains($0.name.lowercased()) }
        self.recipients = fields.flatMap { MailAddress.all(in: $0.value) }
        guard !self.recipients.isEmpty else { throw .invalidArgument("Recipient address required") }
        var added = ""
        var rest = raw
        if MailAddress.all(in: head["From"] ?? "") != [account.email.lowercased()] {
            rest = Self.removing("from", from: rest)
            added += "From: \(account.name) <\(account.email)>\r\n"
        }
        if head["Date"] == nil { added += "Date: \(MailCoding.date(now))\r\n" }
        if head["Message-ID"] == nil { added += "Message-ID: <\(id)@mail.tessera.example>\r\n" }
        self.sent = Array(added.utf8) + rest
    }

    /// Returns the message as delivered to a recipient, without `Bcc` fields.
    func received(by address: String) -> [UInt8] {
        Array("Delivered-To: \(address)\r\n".utf8) + Self.removing("bcc", from: self.sent)
    }

    /// Returns the message without any fields that have the given name.
    private static func removing(_ name: String, from raw: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = raw[...]
        var isRemoved = false
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            let line = rest[rest.startIndex..<end]
            let text = String(decoding: MessageHead.withoutLineBreak(line), as: UTF8.self)
            if text.isEmpty { return result + rest }
            let isContinued = text.hasPrefix(" ") || text.hasPrefix("\t")
            let own = text.prefix { $0 != ":" }.trimmed.lowercased()
            isRemoved = isContinued ? isRemoved : own == name
            if !isRemoved { result += line }
            rest = rest[end...]
        }
        return result
    }
}
#endif
