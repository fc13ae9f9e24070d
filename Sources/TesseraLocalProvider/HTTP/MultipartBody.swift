// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
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
#endif
