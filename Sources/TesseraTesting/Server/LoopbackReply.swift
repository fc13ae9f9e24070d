// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A response as it came over a ``LoopbackConnection``, taken apart.
package struct LoopbackReply: Sendable, Hashable {
    /// The status; 0 where nothing came that begins like a response.
    package let status: Int
    /// The fields, names in lower case.
    package let headers: [String: String]
    /// What follows the empty line.
    package let body: String

    package init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        let head = lines.prefix { !$0.isEmpty }
        let words = (head.first ?? "").split(separator: " ")
        self.status = words.count >= 2 && words[0] == "HTTP/1.1" ? Int(words[1]) ?? 0 : 0
        var headers: [String: String] = [:]
        for line in head.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        self.headers = headers
        self.body = lines.dropFirst(head.count + 1).joined(separator: "\r\n")
    }

    /// Sends a text to a port of a loopback address and takes everything that comes back.
    package static func to(
        _ request: String,
        address: String = "127.0.0.1",
        port: UInt16
    ) async throws -> LoopbackReply {
        let connection = try await LoopbackConnection.open(address, port: port)
        try await connection.send(request)
        return LoopbackReply(try await connection.receiveAll())
    }

    /// The reply to a GET with a correct Host field.
    package static func get(_ target: String, port: UInt16) async throws -> LoopbackReply {
        try await Self.to("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n", port: port)
    }
}
