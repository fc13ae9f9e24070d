// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraOAuth

/// The answer to a batch, taken apart.
///
/// - SeeAlso: [RFC 2046, section 5.1](https://www.rfc-editor.org/rfc/rfc2046.html#section-5.1)
enum MultipartMixed {
    /// The answers by the place of their call.
    ///
    /// - Throws: `apiBatch` for what is no `multipart/mixed` with such parts.
    static func answers(
        in body: [UInt8],
        contentType: String?
    ) throws(ProtocolViolation) -> [Int: BatchAnswer] {
        guard let boundary = Self.boundary(contentType) else { throw Self.violation("a boundary in Content-Type") }
        var answers: [Int: BatchAnswer] = [:]
        for part in Self.parts(of: body, boundary: boundary) {
            let (head, rest) = Self.split(part)
            var place: Int?
            for line in head {
                guard let (name, value) = Self.field(line), name.lowercased() == "content-id" else { continue }
                place = Int(value.replacing("response-", with: "").filter { !"<>".contains($0) })
            }
            guard let place, let answer = BatchAnswer(rest), answers.updateValue(answer, forKey: place) == nil else {
                throw Self.violation("parts with Content-ID, each once, that are HTTP answers")
            }
        }
        return answers
    }

    /// The lines of a head and what comes after its empty line.
    static func split(_ text: ArraySlice<UInt8>) -> (head: [String], rest: ArraySlice<UInt8>) {
        var lines: [String] = []
        var rest = text
        while let end = rest.firstIndex(of: 0x0A) {
            let line = rest[rest.startIndex..<end]
            rest = rest[(end + 1)...]
            let trimmed = line.last == 0x0D ? line.dropLast() : line
            if trimmed.isEmpty { break }
            lines.append(String(decoding: trimmed, as: UTF8.self))
        }
        return (lines, rest)
    }

    /// The name and the value of a line of a head.
    static func field(_ line: String) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        return (String(line[..<colon]), String(value))
    }

    private static func boundary(_ contentType: String?) -> String? {
        guard let contentType, contentType.lowercased().hasPrefix("multipart/"),
            let place = contentType.lowercased().firstRange(of: "boundary=")
        else { return nil }
        let text = contentType[place.upperBound...]
        let boundary = text.hasPrefix("\"") ? text.dropFirst().prefix { $0 != "\"" } : text.prefix { $0 != ";" }
        return boundary.isEmpty ? nil : String(boundary)
    }

    /// What stands between the lines that begin with the boundary.
    private static func parts(of body: [UInt8], boundary: String) -> [ArraySlice<UInt8>] {
        let delimiter = Array("--\(boundary)".utf8)
        var parts: [ArraySlice<UInt8>] = []
        var (begin, line) = (Int?.none, 0)
        while line < body.count {
            let end = body[line...].firstIndex(of: 0x0A) ?? body.count
            if body[line..<end].starts(with: delimiter) {
                if let begin { parts.append(Self.withoutLineEnd(body[begin..<line])) }
                begin = min(end + 1, body.count)
                if body[(line + delimiter.count)..<end].starts(with: Array("--".utf8)) { return parts }
            }
            line = end + 1
        }
        return parts
    }

    private static func withoutLineEnd(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard part.last == 0x0A else { return part }
        let shorter = part.dropLast()
        return shorter.last == 0x0D ? shorter.dropLast() : shorter
    }

    private static func violation(_ expected: String) -> ProtocolViolation {
        ProtocolViolation(.apiBatch, expected: expected, section: "RFC 2046, section 5.1")
    }
}
