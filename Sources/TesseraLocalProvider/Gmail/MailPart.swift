// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

/// The content of a message or of one of its parts.
struct MailPart: Sendable {
    /// The maximum nesting depth.
    ///
    /// Parts at deeper levels are not parsed.
    private static let depthLimit = 8

    /// The position of the part, which is empty for the message itself and otherwise has the form `0` or `0.1`.
    var id: String
    var mimeType: String
    var fileName: String
    var fields: [(name: String, value: String)]
    /// The decoded content, or an empty array if there are nested parts.
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

    /// The message's text, without attachments.
    var text: String {
        let texts = self.all.filter { $0.fileName.isEmpty && $0.parts.isEmpty }
        let part = texts.first { $0.mimeType == "text/plain" } ?? texts.first { $0.mimeType.hasPrefix("text/") }
        return String(decoding: part?.content ?? [], as: UTF8.self)
    }

    /// The part in the format that `messages.get` uses.
    ///
    /// An attachment's content must be requested separately.
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

    /// Returns the part's header with the given fields, or with all fields if `headers` is empty.
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

/// Encodings for non-ASCII data in mail messages (RFC 2045, section 6; RFC 2047).
enum MailCoding {
    /// Decodes a part according to its transfer encoding.
    ///
    /// Malformed content is returned unchanged.
    static func decode(_ content: ArraySlice<UInt8>, encoding: String?) -> [UInt8] {
        switch encoding?.fieldValue {
        case "base64": Self.decodeBase64(content) ?? Array(content)
        case "quoted-printable": self.quotedPrintable(content)
        default: Array(content)
        }
    }

    /// Decodes the encoded words in a field value if they are UTF-8 or ASCII.
    static func decode(_ value: String) -> String {
        guard value.contains("=?") else { return value }
        var result = ""
        var wasEncoded = false
        for word in value.split(separator: " ", omittingEmptySubsequences: false) {
            let text = self.encodedWord(word)
            // The space between two adjacent encoded words is ignored.
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

    /// Decodes base64 in either alphabet, with or without padding and line breaks.
    static func decodeBase64(_ text: some Sequence<UInt8>) -> [UInt8]? {
        Base64.decode(text.filter { !"=\r\n ".utf8.contains($0) })
    }

    /// Returns a time in the format used in the `Date` field.
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

/// A parser for the addresses in a field such as `To` (RFC 5322, section 3.4).
///
/// Groups and comments are not supported.
enum MailAddress {
    /// Returns the addresses without display names, in lowercase.
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
