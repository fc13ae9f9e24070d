// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What a server at a Unix socket answered.
package struct LocalAnswer: Sendable, Hashable {
    /// The status.
    package let status: Int
    /// The body, whole.
    package let body: [UInt8]

    /// Reads an answer up to the connection's end; nil when it is none, or not all of it came.
    init?(_ bytes: [UInt8]) {
        guard let end = Self.endOfHead(bytes) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
        guard words.count >= 2, words[0] == "HTTP/1.1", words[1].utf8.count == 3, let status = Int(words[1]) else {
            return nil
        }
        let lengths = lines.dropFirst()
            .compactMap { line -> Int? in
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == "content-length" else { return nil }
                return Int(parts[1].filter { $0 != " " })
            }
        let body = Array(bytes[end...])
        guard lengths.count <= 1, lengths.first ?? body.count == body.count else { return nil }
        self.status = status
        self.body = body
    }

    /// The index after the empty line.
    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        var index = 3
        while index < bytes.count {
            if bytes[index] == 0x0A, bytes[index - 1] == 0x0D, bytes[index - 2] == 0x0A, bytes[index - 3] == 0x0D {
                return index + 1
            }
            index += 1
        }
        return nil
    }
}
