// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

/// The fields at the beginning of a message, and what follows them (RFC 5322, section 2.2; RFC 2045, section 3).
struct MessageHead: Sendable {
    private(set) var fields: [(name: String, value: String)] = []
    /// What follows the empty line; nil where there is none.
    private(set) var content: ArraySlice<UInt8>?

    /// Nil when a line before the empty one is no field.
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
                // A folded line belongs to the field before.
                self.fields[self.fields.count - 1].value += " " + text.trimmed
                continue
            }
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
            let name = text[..<colon].trimmed
            guard !name.contains(" ") else { return nil }
            self.fields.append((name, text[text.index(after: colon)...].trimmed))
        }
    }

    /// The first field of that name, in any case.
    subscript(_ name: String) -> String? {
        self.fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// A line without the break at its end.
    static func withoutLineBreak(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        if bytes.last == UInt8(ascii: "\n") { bytes = bytes.dropLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
        return bytes
    }
}

/// The parts of a multipart body (RFC 2046, section 5.1).
struct MultipartBody: Sendable {
    /// The body has no boundary, no end, or a part without an empty line.
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

    /// What stands between the delimiter lines, without the line breaks that belong to them; nil without an end.
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

extension EndpointRequest {
    /// The parts of an upload: media alone, or with its metadata in one message (`multipart/related`, RFC 2387); nil for
    /// another type of upload.
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
            throw .badRequest("The body is no multipart/related message of two parts, JSON metadata and binary media.")
        }
        return (Array(metadata), Array(media), parts[1]["Content-Type"])
    }
}

extension String {
    /// A parameter of a field such as `Content-Type`, without its quotation marks.
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

    /// The value of such a field without its parameters, in lower case.
    var fieldValue: String {
        self.split(separator: ";", omittingEmptySubsequences: false).first.map { $0.trimmed.lowercased() } ?? ""
    }
}

extension StringProtocol {
    /// The parts between separators, except for separators in quotation marks.
    func split(outsideQuotes isSeparator: (Character) -> Bool) -> [SubSequence] {
        var isQuoted = false
        return self.split(omittingEmptySubsequences: true) { character in
            if character == "\"" { isQuoted.toggle() }
            return !isQuoted && isSeparator(character)
        }
    }

    /// The text without spaces and tabs at its ends.
    var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = self.firstIndex(where: { !isBlank($0) }),
            let last = self.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(self[first...last])
    }
}
#endif
