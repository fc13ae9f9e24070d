// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("Batch endpoint")
struct BatchTests {
    /// Returns a batch of requests whose content IDs are numbered from 0.
    static func body(_ requests: [String]) -> String {
        let parts = requests.enumerated()
            .map { number, request in
                "--b\r\nContent-Type: application/http\r\nContent-ID: <item\(number):x@y>\r\n\r\n\(request)\r\n"
            }
        return parts.joined() + "--b--\r\n"
    }

    static func send(
        _ api: LiveAPI,
        _ requests: [String],
        to path: String = "/batch/drive/v3"
    ) async throws -> LiveClient.Response {
        try await api.send(.post, path, Self.body(requests), type: "multipart/mixed; boundary=\"b\"")
    }

    /// Returns the content ID, status and text of each part of a response.
    static func parts(_ response: LiveClient.Response) throws -> [(id: String, status: Int, text: String)] {
        let type = try #require(response.fields[.contentType])
        let boundary = try #require(type.split(separator: "boundary=").last)
        return response.text.split(separator: "--\(boundary)").dropLast()
            .map { part in
                let id = part.split(separator: "Content-ID: ").dropFirst().first?.split(separator: "\r\n").first ?? ""
                let status = part.split(separator: "HTTP/1.1 ").dropFirst().first?.prefix(3) ?? ""
                return (String(id), Int(status) ?? 0, String(part))
            }
    }

    @Test("Runs each call of a batch independently", arguments: ["/batch/drive/v3", "/batch"])
    func calls(path: String) async throws {
        try await LiveAPI.with { drive in
            let metadata = #"{"name": "From a batch"}"#
            let create =
                "POST /drive/v3/files?fields=name HTTP/1.1\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(metadata.utf8.count)\r\n\r\n\(metadata)"
            let response = try await Self.send(
                drive,
                [
                    create, "GET /drive/v3/files/unknown HTTP/1.1\r\nAccept: application/json\r\n\r\n",
                    "GET \(drive.client.provider.baseURL)/drive/v3/files?q=name%3D'From%20a%20batch'\r\n",
                    "GET /drive/v3/files HTTP/1.1\r\nAuthorization: Bearer other\r\n", "nonsense",
                    "GET /token HTTP/1.1\r\n", "POST /upload/drive/v3/files?uploadType=media HTTP/1.1\r\n\r\nx",
                    "GET /drive/v3/files/x?alt=media HTTP/1.1\r\n",
                ],
                to: path
            )
            #expect(response.status == .ok)
            let parts = try Self.parts(response)
            #expect(parts.map(\.status) == [200, 404, 200, 401, 400, 404, 404, 400])
            #expect(parts.map(\.id) == (0..<8).map { "<response-item\($0):x@y>" })
            #expect(parts[0].text.contains("From a batch"))
            #expect(parts[2].text.contains("From a batch"))
            #expect(parts[1].text.contains("\"notFound\""))
        }
    }

    @Test("Authenticates each call of a batch with its own token")
    func ownToken() async throws {
        try await LiveAPI.with { drive in
            var fields = HTTPFields()
            fields[.contentType] = "multipart/mixed; boundary=b"
            let own = "GET /drive/v3/files HTTP/1.1\r\nAuthorization: Bearer \(drive.token)\r\n\r\n"
            let body = Self.body([own, "GET /drive/v3/files HTTP/1.1\r\n\r\n"])
            let response = try await drive.client.send(.post, "/batch/drive/v3", fields, body: body)
            #expect(try Self.parts(response).map(\.status) == [200, 401])
            fields[.authorization] = "Bearer no longer good"
            let others = try await drive.client.send(.post, "/batch/drive/v3", fields, body: body)
            #expect(try Self.parts(others).map(\.status) == [200, 401])
        }
    }

    @Test("Accepts at most 100 calls in a batch")
    func limit() async throws {
        try await LiveAPI.with { drive in
            let call = "GET /drive/v3/files?pageSize=1 HTTP/1.1\r\n\r\n"
            let most = try await Self.send(drive, Array(repeating: call, count: 100))
            #expect(try Self.parts(most).allSatisfy { $0.status == 200 })
            #expect(try Self.parts(most).count == 100)
            let tooMany = try await Self.send(drive, Array(repeating: call, count: 101))
            #expect(tooMany.status == .badRequest)
        }
    }

    @Test("Rejects only the part that has too many header fields", .covers(154))
    func fields() async throws {
        try await LiveAPI.with { drive in
            let call = "GET /drive/v3/files?pageSize=1 HTTP/1.1\r\n"
            let fields = String(repeating: "a: b\r\n", count: 70_000)
            let response = try await Self.send(drive, ["\(call)\(fields)\r\n", call])
            #expect(try Self.parts(response).map(\.status) == [400, 200])
        }
    }

    static let damaged = [
        ("multipart/mixed; boundary=b", ""), ("multipart/mixed; boundary=b", "--b\r\n"),
        ("multipart/mixed; boundary=b", "--b--\r\n"), ("multipart/mixed; boundary=b", "--b\r\nno head\r\n--b--\r\n"),
        ("multipart/mixed", "--b\r\n\r\n\r\n--b--\r\n"), ("application/json", "{}"),
    ]

    @Test("Rejects a malformed batch as a whole", arguments: damaged)
    func damagedBatch(type: String, body: String) async throws {
        try await LiveAPI.with { drive in
            let response = try await drive.send(.post, "/batch/drive/v3", body, type: type)
            #expect(response.status == .badRequest)
            #expect(try response.json["error"]?["errors"]?[0]?["reason"]?.string == "badRequest")
            #expect(try await drive.send(.get, "/batch/drive/v3").status == .methodNotAllowed)
        }
    }

    @Test("Applies the rate limit to single and batched calls")
    func rateLimit() async throws {
        try await LiveAPI.with { drive in
            let provider = drive.client.provider
            provider.change { $0.limitDriveRate(ofNext: 2) }
            #expect(try await drive.failure(.get, "/drive/v3/files") == "403 userRateLimitExceeded")
            let call = "GET /drive/v3/files?pageSize=1 HTTP/1.1\r\n\r\n"
            let mixed = try Self.parts(try await Self.send(drive, [call, call]))
            #expect(mixed.map(\.status) == [403, 200])
            #expect(mixed[0].text.contains("userRateLimitExceeded"))
            provider.change { behavior in
                behavior.driveFaults = [.none]
                behavior.limitDriveRate(ofNext: 1, retryAfter: 7)
            }
            let limited = try Self.parts(try await Self.send(drive, [call, call, call]))
            #expect(limited.map(\.status) == [429, 200, 200])
            #expect(limited[0].text.lowercased().contains("retry-after: 7"))
            #expect(provider.behavior.driveFaults.isEmpty)
        }
    }

    @Test("Loses the response to the whole batch if one call loses its response")
    func lostResponse() async throws {
        try await LiveAPI.with { drive in
            drive.client.provider.change { $0.driveFaults = [.none, .lostResponse] }
            let create = "POST /drive/v3/files HTTP/1.1\r\n\r\n"
            await #expect(throws: (any Error).self) { try await Self.send(drive, [create, create]) }
            let names = try await drive.names()
            #expect(names.count == 5)
        }
    }
}
#endif
