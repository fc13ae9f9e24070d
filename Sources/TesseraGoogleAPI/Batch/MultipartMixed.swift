// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraOAuth

/// Parses the response to a batch request.
///
/// - SeeAlso: [RFC 2046, section 5.1](https://www.rfc-editor.org/rfc/rfc2046.html#section-5.1)
enum MultipartMixed {
    /// The maximum number of lines in a head.
    ///
    /// `HTTPFields` traps if it has 65,535 fields.
    private static let mostLines = 1_000

    /// Returns the responses, keyed by the index of their call.
    ///
    /// - Throws: `apiBatch` if the body is not `multipart/mixed` with at most `count` responses.
    static func responses(
        in body: [UInt8],
        contentType: String?,
        atMost count: Int
    ) throws -> [Int: BatchPartResponse] {
        guard let boundary = Self.boundary(contentType) else { throw Self.violation("a boundary in Content-Type") }
        guard let parts = Self.parts(of: body, boundary: boundary, atMost: count) else {
            throw Self.violation("at most one part for each call")
        }
        var responses: [Int: BatchPartResponse] = [:]
        for part in parts {
            guard let (head, rest) = Self.split(part), let location = Self.location(head),
                let response = BatchPartResponse(rest),
                responses.updateValue(response, forKey: location) == nil
            else {
                throw Self.violation("HTTP responses with a unique Content-ID")
            }
        }
        return responses
    }

    /// Returns the lines of a head and the bytes after the empty line that ends it, or nil if there are too many lines.
    static func split(_ text: ArraySlice<UInt8>) -> (head: [String], rest: ArraySlice<UInt8>)? {
        var lines: [String] = []
        var rest = text
        while let end = rest.firstIndex(of: 0x0A) {
            let line = rest[rest.startIndex..<end]
            rest = rest[(end + 1)...]
            let trimmed = line.last == 0x0D ? line.dropLast() : line
            if trimmed.isEmpty { break }
            guard lines.count < Self.mostLines else { return nil }
            lines.append(String(decoding: trimmed, as: UTF8.self))
        }
        return (lines, rest)
    }

    /// Returns the name and value of a header line.
    static func field(_ line: String) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        return (String(line[..<colon]), String(value))
    }

    /// Returns the index of the call that a part responds to, from its only `Content-ID`, such as `<response-3>`.
    private static func location(_ head: [String]) -> Int? {
        let values = head.compactMap { Self.field($0) }.filter { $0.name.lowercased() == "content-id" }.map(\.value)
        guard values.count == 1, let value = values.first else { return nil }
        let text = value.filter { !"<>".contains($0) }
        let number = text.hasPrefix("response-") ? text.dropFirst("response-".count) : text[...]
        return Int(number).flatMap { String($0) == number && $0 >= 0 ? $0 : nil }
    }

    /// Returns the value of the `boundary` parameter, which must have 1 to 70 bytes.
    ///
    /// - SeeAlso: [RFC 2045, section 5.1](https://www.rfc-editor.org/rfc/rfc2045.html#section-5.1)
    private static func boundary(_ contentType: String?) -> String? {
        guard let contentType, contentType.prefix("multipart/".count).lowercased() == "multipart/" else { return nil }
        var rest = contentType.drop { $0 != ";" }
        while rest.popFirst() != nil {
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(name.count)
            guard rest.first == "=" else { continue }
            rest.removeFirst()
            var value = ""
            if rest.first == "\"" {
                rest.removeFirst()
                while let character = rest.popFirst(), character != "\"" {
                    if let literal = character == "\\" ? rest.popFirst() : character { value.append(literal) }
                }
                rest = rest.drop { $0 != ";" }
            } else {
                value = String(rest.prefix { $0 != ";" && $0 != " " })
                rest = rest.drop { $0 != ";" }
            }
            if name.drop(while: \.isWhitespace).lowercased() == "boundary" {
                return 1...70 ~= value.utf8.count ? value : nil
            }
        }
        return nil
    }

    /// Returns the parts between the delimiter lines, or nil if there are more than `count`.
    private static func parts(of body: [UInt8], boundary: String, atMost count: Int) -> [ArraySlice<UInt8>]? {
        let delimiter = Array("--\(boundary)".utf8)
        var parts: [ArraySlice<UInt8>] = []
        var (begin, line) = (Int?.none, 0)
        while line < body.count {
            let end = body[line...].firstIndex(of: 0x0A) ?? body.count
            if let isLast = Self.isLast(body[line..<end], delimiter) {
                if let begin { parts.append(Self.withoutLineEnd(body[begin..<line])) }
                if isLast { return parts.count <= count ? parts : nil }
                guard parts.count <= count else { return nil }
                begin = min(end + 1, body.count)
            }
            line = end + 1
        }
        return parts
    }

    /// Returns whether a delimiter is the last one, or nil if the line is not a delimiter.
    private static func isLast(_ line: ArraySlice<UInt8>, _ delimiter: [UInt8]) -> Bool? {
        guard line.starts(with: delimiter) else { return nil }
        var rest = line.dropFirst(delimiter.count)
        let isLast = rest.starts(with: "--".utf8)
        if isLast { rest = rest.dropFirst(2) }
        return rest.allSatisfy { [0x09, 0x0D, 0x20].contains($0) } ? isLast : nil
    }

    private static func withoutLineEnd(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard part.last == 0x0A else { return part }
        let shorter = part.dropLast()
        return shorter.last == 0x0D ? shorter.dropLast() : shorter
    }

    private static func violation(_ expected: String) -> ProtocolViolationError {
        ProtocolViolationError(.apiBatch, expected: expected, section: "RFC 2046, section 5.1")
    }
}
