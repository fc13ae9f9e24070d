// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// A body of type `multipart/related` with two parts, as an upload with metadata has (RFC 2387).
struct MultipartRelated: Sendable {
    var metadata: [UInt8]
    var mediaType: String?
    var media: [UInt8]

    init(_ body: [UInt8], contentType: String) throws(DriveFailure) {
        guard let boundary = Self.boundary(contentType) else { throw Self.failure }
        let parts = Self.parts(body, delimiter: Array("--\(boundary)".utf8))
        guard parts.count == 2 else { throw Self.failure }
        let (first, second) = (try Self.split(parts[0]), try Self.split(parts[1]))
        guard first.fields["content-type"].map({ $0.lowercased().hasPrefix("application/json") }) ?? true,
            ["binary", "8bit", "7bit", nil].contains(second.fields["content-transfer-encoding"]?.lowercased())
        else { throw Self.failure }
        self.metadata = Array(first.content)
        self.mediaType = second.fields["content-type"]
        self.media = Array(second.content)
    }

    private static let failure = DriveFailure.badRequest(
        "The body is no multipart/related message of two parts, JSON metadata and binary media."
    )

    private static func boundary(_ contentType: String) -> String? {
        for parameter in contentType.split(separator: ";").dropFirst() {
            let sides = parameter.split(separator: "=", maxSplits: 1)
            guard sides.count == 2, sides[0].trimmed.lowercased() == "boundary" else { continue }
            var value = sides[1].trimmed
            if value.hasPrefix("\""), value.hasSuffix("\""), value.count > 1 {
                value = String(value.dropFirst().dropLast())
            }
            return (1...70).contains(value.utf8.count) ? value : nil
        }
        return nil
    }

    /// What stands between the delimiter lines, without the line breaks that belong to them.
    private static func parts(_ body: [UInt8], delimiter: [UInt8]) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var start: Int?
        var line = body.startIndex
        while line < body.endIndex {
            let end = body[line...].firstIndex(of: UInt8(ascii: "\n")) ?? body.endIndex
            if body[line..<end].starts(with: delimiter) {
                let rest = body[line..<end].dropFirst(delimiter.count).filter { $0 != UInt8(ascii: "\r") }
                let isLast = rest.starts(with: Array("--".utf8))
                if isLast || rest.allSatisfy({ $0 == UInt8(ascii: " ") }) {
                    if let start { parts.append(self.withoutLineBreak(body[start..<max(start, line)])) }
                    if isLast { return parts }
                    start = min(end + 1, body.endIndex)
                }
            }
            line = min(end + 1, body.endIndex)
        }
        return []
    }

    private static func withoutLineBreak(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        if bytes.last == UInt8(ascii: "\n") { bytes = bytes.dropLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
        return bytes
    }

    private static func split(
        _ part: ArraySlice<UInt8>
    ) throws(DriveFailure) -> (fields: [String: String], content: ArraySlice<UInt8>) {
        var fields: [String: String] = [:]
        var rest = part
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = self.withoutLineBreak(rest[rest.startIndex...end])
            rest = rest[(end + 1)...]
            if line.isEmpty { return (fields, rest) }
            guard let text = String(validating: line, as: UTF8.self), let colon = text.firstIndex(of: ":") else {
                break
            }
            fields[text[..<colon].trimmed.lowercased()] = text[text.index(after: colon)...].trimmed
        }
        throw self.failure
    }
}
#endif
