// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TestTransport
internal import TesseraLocalProvider
internal import TesseraOAuth

/// An upload session of a running provider.
struct LiveUpload {
    let client: LiveClient
    let authorization: HTTPFields
    /// The path and query of the session URL.
    let path: String

    init(_ client: LiveClient, token: String) async throws {
        var fields = HTTPFields()
        fields[.authorization] = "Bearer \(token)"
        self.client = client
        self.authorization = fields
        fields[.contentType] = "application/json"
        let target = "/upload/drive/v3/files?uploadType=resumable&fields=*"
        let response = try await client.send(.post, target, fields, body: #"{"name": "Big.bin"}"#)
        let address = try #require(response.fields[.location])
        try #require(address.hasPrefix(client.provider.baseURL + "/"))
        self.path = String(address.dropFirst(client.provider.baseURL.count))
    }

    func put(_ contentRange: String?, _ body: HTTPBody?) async throws -> LiveClient.Response {
        var fields = HTTPFields()
        fields[.contentRange] = contentRange
        return try await self.client.send(.put, self.path, fields, content: body)
    }

    /// Queries the session until it has received `count` bytes.
    func wait(untilReceived count: Int) async throws {
        for _ in 0..<100_000 {
            if try await self.put("bytes */*", nil).fields[.range] == "bytes=0-\(count - 1)" { return }
            await Task.yield()
        }
        Issue.record("The bytes never arrived.")
    }

    /// Returns the number of bytes received from a download and whether the connection broke.
    func received(_ path: String) async throws -> (Int64, Bool) {
        let parts = self.client.provider.baseURL.split(separator: "://").map(String.init)
        let request = HTTPRequest(
            method: .get,
            scheme: parts[0],
            authority: parts[1],
            path: path,
            headerFields: self.authorization
        )
        let (response, content) = try await self.client.transport.send(request, body: nil)
        #expect(response.status == .ok)
        var count: Int64 = 0
        do {
            for try await bytes in content { count += Int64(bytes.count) }
            return (count, false)
        } catch {
            return (count, true)
        }
    }
}

/// Request bodies that are generated while they are sent.
enum UploadPattern {
    /// A piece of 1 MiB.
    static let piece = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    private struct Broken: Error {}

    /// Returns a body of `pieces` pieces that fails after `limit` of them.
    static func body(pieces: Int, breakingAfter limit: Int? = nil, hasLength: Bool = true) -> HTTPBody {
        HTTPBody(length: hasLength ? Int64(pieces * self.piece.count) : nil, isReplayable: false) {
            var sent = 0
            return {
                if sent == limit { throw Broken() }
                guard sent < pieces else { return nil }
                sent += 1
                return self.piece
            }
        }
    }
}
#endif
