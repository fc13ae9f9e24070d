// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

/// A message's header fields and the content that follows them (RFC 5322, section 2.2; RFC 2045, section 3).
struct MessageHead: Sendable {
    private(set) var fields: [(name: String, value: String)] = []
    /// The content after the empty line, or `nil` if there is no empty line.
    private(set) var content: ArraySlice<UInt8>?

    /// Parses a message.
    ///
    /// Returns `nil` if a line before the empty line is not a header field.
    init?(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            let line = Self.withoutLineBreak(rest[rest.startIndex..<end])
            rest = rest[end...]
            guard let first = line.first else {
                self.content = rest
                return
            }
            let text = String(decoding: line, as: UTF8.self)
            if [UInt8(ascii: " "), UInt8(ascii: "\t")].contains(first), !self.fields.isEmpty {
                // A folded line continues the previous field.
                self.fields[self.fields.count - 1].value += " " + text.trimmed
                continue
            }
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
            let name = text[..<colon].trimmed
            guard !name.contains(" ") else { return nil }
            self.fields.append((name, text[text.index(after: colon)...].trimmed))
        }
    }

    /// Returns the value of the first field with the given name, ignoring case.
    subscript(_ name: String) -> String? {
        self.fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Returns a line without its trailing line break.
    static func withoutLineBreak(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        if bytes.last == UInt8(ascii: "\n") { bytes = bytes.dropLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
        return bytes
    }
}

/// The parts of a multipart body (RFC 2046, section 5.1).
struct MultipartBody: Sendable {
    /// An error for a body that has no boundary or no end, or that has a part without an empty line.
    struct Malformed: Error {}

    let parts: [MessageHead]

    init(_ body: ArraySlice<UInt8>, contentType: String) throws(Malformed) {
        guard let boundary = contentType.fieldParameter("boundary"), (1...70).contains(boundary.utf8.count),
            let parts = Self.parts(body, delimiter: Array("--\(boundary)".utf8))
        else { throw Malformed() }
        var heads: [MessageHead] = []
        for part in parts {
            guard let head = MessageHead(part), head.content != nil else { throw Malformed() }
            heads.append(head)
        }
        self.parts = heads
    }

    /// Returns the content between delimiter lines, or `nil` if the closing delimiter is missing.
    private static func parts(_ body: ArraySlice<UInt8>, delimiter: [UInt8]) -> [ArraySlice<UInt8>]? {
        var parts: [ArraySlice<UInt8>] = []
        var start: Int?
        var line = body.startIndex
        while line < body.endIndex {
            let end = body[line...].firstIndex(of: UInt8(ascii: "\n")) ?? body.endIndex
            if body[line..<end].starts(with: delimiter) {
                let rest = body[line..<end].dropFirst(delimiter.count).filter { $0 != UInt8(ascii: "\r") }
                let isLast = rest.starts(with: Array("--".utf8))
                if isLast || rest.allSatisfy({ $0 == UInt8(ascii: " ") }) {
                    if let start { parts.append(MessageHead.withoutLineBreak(body[start..<max(start, line)])) }
                    if isLast { return parts }
                    start = min(end + 1, body.endIndex)
                }
            }
            line = min(end + 1, body.endIndex)
        }
        return nil
    }
}

extension ProviderRequest {
    /// Returns an upload's metadata and media, or `nil` if the upload type is neither `media` nor `multipart`.
    ///
    /// A `multipart` upload is a `multipart/related` message (RFC 2387).
    func upload(_ type: String?) throws(APIFailure) -> (metadata: [UInt8], media: [UInt8], mediaType: String?)? {
        switch type {
        case "media": return ([], self.body, self.contentType)
        case "multipart": break
        default: return nil
        }
        guard let parts = try? MultipartBody(self.body[...], contentType: self.headers[.contentType] ?? "").parts,
            parts.count == 2, let metadata = parts[0].content, let media = parts[1].content,
            parts[0]["Content-Type"].map({ $0.lowercased().hasPrefix("application/json") }) ?? true,
            ["binary", "8bit", "7bit", nil].contains(parts[1]["Content-Transfer-Encoding"]?.lowercased())
        else {
            throw .badRequest("The body is not a multipart/related message with JSON metadata and binary media.")
        }
        return (Array(metadata), Array(media), parts[1]["Content-Type"])
    }
}

extension String {
    /// Returns a parameter of a field such as `Content-Type`, without quotation marks.
    func fieldParameter(_ name: String) -> String? {
        for parameter in self.split(separator: ";").dropFirst() {
            let sides = parameter.split(separator: "=", maxSplits: 1)
            guard sides.count == 2, sides[0].trimmed.lowercased() == name else { continue }
            let value = sides[1].trimmed
            guard value.count > 1, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
            return String(value.dropFirst().dropLast())
        }
        return nil
    }

    /// The field value without its parameters, in lowercase.
    var fieldValue: String {
        self.split(separator: ";", omittingEmptySubsequences: false).first.map { $0.trimmed.lowercased() } ?? ""
    }
}

extension StringProtocol {
    /// Splits the text at separators that are not enclosed in quotation marks.
    func split(outsideQuotes isSeparator: (Character) -> Bool) -> [SubSequence] {
        var isQuoted = false
        return self.split(omittingEmptySubsequences: true) { character in
            if character == "\"" { isQuoted.toggle() }
            return !isQuoted && isSeparator(character)
        }
    }

    /// The text without leading and trailing spaces and tabs.
    var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = self.firstIndex(where: { !isBlank($0) }),
            let last = self.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(self[first...last])
    }
}
#endif
