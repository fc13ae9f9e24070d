// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import GoogleGmailV1
internal import TesseraCommand
internal import TesseraJSON
internal import TesseraOAuth

/// A message as a person reads it.
struct MailText: Sendable {
    private let message: GmailV1.Message

    init(_ message: GmailV1.Message) { self.message = message }

    var id: String { self.message.id ?? "" }

    /// A field of the head; empty where there is none.
    func field(_ name: String) -> String {
        let fields = self.message.payload?.headers ?? []
        return fields.first { $0.name?.lowercased() == name.lowercased() }?.value ?? ""
    }

    /// A field of the head as it can be shown.
    func line(_ name: String, limit: Int = 1000) -> String { UntrustedText.printable(self.field(name), limit: limit) }

    /// The plain text in it, else what else there is of text; nil for none.
    var body: String? {
        guard let payload = self.message.payload else { return nil }
        return Self.text("text/plain", in: payload) ?? Self.text("text/", in: payload)
    }

    /// The head's usual fields, an empty line and the text.
    var text: TerminalText {
        var lines = ["From", "To", "Cc", "Date", "Subject"].filter { !self.field($0).isEmpty }
            .map { "\($0): \(self.line($0))" as TerminalText }
        lines.append("")
        let body = self.body ?? self.message.snippet ?? ""
        // A letter keeps its lines, and does nothing else to a terminal.
        lines += body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { "\(UntrustedText.printable(String($0), limit: 10_000))" }
        return lines.joined(separator: "\n")
    }

    /// The identifiers, and the head's usual fields.
    var json: JSONNode {
        [
            "id": .string(self.id), "threadId": self.message.threadId.map { .string($0) } ?? .null,
            "from": .string(self.field("From")), "to": .string(self.field("To")),
            "subject": .string(self.field("Subject")), "date": .string(self.field("Date")),
            "snippet": .string(self.message.snippet ?? ""),
        ]
    }

    private static func text(_ type: String, in part: GmailV1.MessagePart) -> String? {
        if part.mimeType?.hasPrefix(type) == true, part.filename ?? "" == "", let data = part.body?.data {
            return String(decoding: Array(data), as: UTF8.self)
        }
        for part in part.parts ?? [] {
            if let text = Self.text(type, in: part) { return text }
        }
        return nil
    }
}
