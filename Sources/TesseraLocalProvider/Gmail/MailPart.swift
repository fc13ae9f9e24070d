// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

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

    var all: [MailPart] { [self] + self.parts.flatMap(\.all) }

    /// What is to be read, and is no attachment.
    var text: String {
        let texts = self.all.filter { $0.fileName.isEmpty && $0.parts.isEmpty }
        let part = texts.first { $0.mimeType == "text/plain" } ?? texts.first { $0.mimeType.hasPrefix("text/") }
        return String(decoding: part?.content ?? [], as: UTF8.self)
    }

    /// The part as `messages.get` shows it; an attachment's bytes are asked for by themselves.
    var node: JSONNode {
        let isFile = !self.fileName.isEmpty
        let hasData = !isFile && !self.content.isEmpty
        return .members([
            "partId": self.id, "mimeType": self.mimeType, "filename": self.fileName, "headers": Self.node(self.fields),
            "body": JSONNode.members([
                "size": self.content.count, "attachmentId": isFile ? self.attachmentID : nil,
                "data": hasData ? Base64.encode(self.content, isURLSafe: true) : nil,
            ]),
            "parts": self.parts.isEmpty ? nil : self.parts.map(\.node),
        ])
    }

    /// The part's head alone, with the fields of these names, or all.
    func metadata(_ headers: [String]) -> JSONNode {
        let wanted = Set(headers.map { $0.lowercased() })
        let fields = self.fields.filter { wanted.isEmpty || wanted.contains($0.name.lowercased()) }
        return .members(["mimeType": self.mimeType, "headers": Self.node(fields)])
    }

    var attachmentID: String { "attachment-" + (self.id.isEmpty ? "0" : self.id) }

    private static func node(_ fields: [(name: String, value: String)]) -> JSONNode {
        .array(fields.map { .members(["name": $0.name, "value": $0.value]) })
    }
}

/// How mail says in ASCII what is not ASCII (RFC 2045, section 6; RFC 2047).
enum MailCoding {
    /// The bytes of a part with a transfer encoding; what cannot be decoded stays as it is.
    static func decode(_ content: ArraySlice<UInt8>, encoding: String?) -> [UInt8] {
        switch encoding?.fieldValue {
        case "base64": Self.decodeBase64(content) ?? Array(content)
        case "quoted-printable": self.quotedPrintable(content)
        default: Array(content)
        }
    }

    /// A field's value with its encoded words decoded, those of UTF-8 and ASCII.
    static func decode(_ value: String) -> String {
        guard value.contains("=?") else { return value }
        var result = ""
        var wasEncoded = false
        for word in value.split(separator: " ", omittingEmptySubsequences: false) {
            let text = self.encodedWord(word)
            // The space between two encoded words belongs to neither.
            if !result.isEmpty, !(wasEncoded && text != nil) { result += " " }
            result += text ?? String(word)
            wasEncoded = text != nil
        }
        return result
    }

    private static func encodedWord(_ word: Substring) -> String? {
        guard word.hasPrefix("=?"), word.hasSuffix("?=") else { return nil }
        let parts = word.dropFirst(2).dropLast(2).split(separator: "?", omittingEmptySubsequences: false)
        guard parts.count == 3, ["utf-8", "us-ascii"].contains(parts[0].lowercased()) else { return nil }
        switch parts[1].lowercased() {
        case "b":
            return Self.decodeBase64(parts[2].utf8).flatMap { String(wellFormedUTF8: $0) }
        case "q":
            let text = Array(parts[2].replacing("_", with: " ").utf8)
            return String(wellFormedUTF8: self.quotedPrintable(text[...]))
        default:
            return nil
        }
    }

    /// Base64 as mail programs send it: in either alphabet, with padding or without, over many lines.
    static func decodeBase64(_ text: some Sequence<UInt8>) -> [UInt8]? {
        Base64.decode(text.filter { !"=\r\n ".utf8.contains($0) })
    }

    /// A time as the field `Date` has it.
    static func date(_ time: Date) -> String {
        HTTPDate.text(secondsSince1970: time.timeIntervalSince1970).replacing("GMT", with: "+0000")
    }

    private static func quotedPrintable(_ content: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = content
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                result.append(byte)
                continue
            }
            if rest.starts(with: Array("\r\n".utf8)) {
                rest = rest.dropFirst(2)
            } else if rest.first == UInt8(ascii: "\n") {
                rest = rest.dropFirst()
            } else if let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count > 1 {
                result.append(value)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}

/// The addresses in a field such as `To` (RFC 5322, section 3.4): groups and comments are not looked into.
enum MailAddress {
    /// The bare addresses, in lower case.
    static func all(in field: String) -> [String] {
        field.split(outsideQuotes: { $0 == "," }).compactMap { self.address(String($0)) }
    }

    private static func address(_ text: String) -> String? {
        var text = text
        if let end = text.lastIndex(of: ">"), let start = text[..<end].lastIndex(of: "<") {
            text = String(text[text.index(after: start)..<end])
        }
        let address = text.trimmed.lowercased()
        let sides = address.split(separator: "@", omittingEmptySubsequences: false)
        return sides.count == 2 && !sides.contains("") && !address.contains(" ") ? address : nil
    }
}
#endif
