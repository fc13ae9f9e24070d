// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A message on its way: completed for its sender, and as each recipient gets it.
struct OutgoingMail: Sendable {
    /// As the sender keeps it.
    let sent: [UInt8]
    let recipients: [String]

    /// Puts in what the client left out; the sender is always the account itself.
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
        if head["Date"] == nil {
            let date = HTTPDate.text(secondsSince1970: now.timeIntervalSince1970)
            added += "Date: \(date.replacing("GMT", with: "+0000"))\r\n"
        }
        if head["Message-ID"] == nil { added += "Message-ID: <\(id)@mail.tessera.example>\r\n" }
        self.sent = Array(added.utf8) + rest
    }

    /// As somebody gets it: whoever else gets it in secret is not named.
    func received(by address: String) -> [UInt8] {
        Array("Delivered-To: \(address)\r\n".utf8) + Self.removing("bcc", from: self.sent)
    }

    /// The message without the fields of a name.
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
