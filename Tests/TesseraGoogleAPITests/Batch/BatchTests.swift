// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Batch requests")
struct BatchTests {
    /// Parses batches and responds to their parts in reverse order.
    private static func network(
        _ response: @escaping @Sendable (_ part: String, _ batch: Int) throws -> String
    ) -> (ScriptedTransport, @Sendable () -> [[String]]) {
        let batches = BatchLog()
        let transport = ScriptedTransport { request in
            let text = String(decoding: request.body, as: UTF8.self)
            let parts = text.split(separator: "--batch-", omittingEmptySubsequences: false).map(String.init).dropFirst()
                .dropLast()
            let number = batches.add(parts.map(Self.line))
            var body = ""
            for part in parts.reversed() {
                let id = part.split(separator: "Content-ID: <")[1].prefix { $0 != ">" }
                body += "--x\r\nContent-Type: application/http\r\nContent-ID: <response-\(id)>\r\n\r\n"
                body += try response(Self.line(part), number) + "\r\n"
            }
            return .json(body + "--x--\r\n", headerFields: [.contentType: "multipart/mixed; boundary=\"x\""])
        }
        return (transport, { batches.all })
    }

    private static func line(_ part: String) -> String {
        String(part.split(separator: "\r\n\r\n")[1].prefix { $0 != "\r" })
    }

    private static func runtime(_ network: ScriptedTransport) -> OAuthRuntime {
        var runtime = OAuthRuntime.testing(transport: network, clock: TestClock())
        runtime.clock = SelfAdvancingClock()
        return runtime
    }

    private static func ok(_ json: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)"
    }

    @Test("Returns a response for each call and splits batches at the API's limit")
    func groups() async throws {
        let (network, batches) = Self.network { part, _ in Self.ok(#"{"title":"\#(part.dropFirst(20).prefix(1))"}"#) }
        let client = try NotesV1.scripted(network)
        let responses = try await client.batch("abcdefg".map { client.get(String($0)) })
        #expect(try responses.map { try $0.get().title } == ["a", "b", "c", "d", "e", "f", "g"])
        #expect(batches().map(\.count) == [3, 3, 1])
        #expect(network.requests.allSatisfy { $0.head.path == "/batch/notes/v1" })
    }

    @Test("Reports a failed call separately and retries only the rate-limited call")
    func again() async throws {
        let limited = #"{"error":{"code":403,"errors":[{"domain":"usageLimits","reason":"userRateLimitExceeded"}]}}"#
        let (network, batches) = Self.network { part, number in
            if part.contains("/b/") { return "HTTP/1.1 404 Not Found\r\n\r\n{}" }
            if part.contains("/c/"), number < 3 { return "HTTP/1.1 403 Forbidden\r\n\r\n\(limited)" }
            return Self.ok(#"{"title":"ok"}"#)
        }
        let client = try NotesV1.scripted(network)
        let responses = try await client.batch(["a", "b", "c"].map { client.get($0) })
        #expect(try responses[0].get().title == "ok")
        #expect(try responses[2].get().title == "ok")
        #expect(throws: GoogleAPIError(httpStatus: 404)) { try responses[1].get() }
        #expect(batches().map(\.count) == [3, 1, 1])
    }

    @Test("Returns the results of the calls that were performed before a request failed")
    func laterFailure() async throws {
        let (network, batches) = Self.network { _, number in
            if number > 1 { throw TransportError(.tls) }
            return Self.ok(#"{"title":"ok"}"#)
        }
        let client = try NotesV1.scripted(network)
        let responses = try await client.batch("abcdefg".map { client.get(String($0)) })
        for response in responses[..<3] { #expect(try response.get().title == "ok") }
        for response in responses[3...] {
            #expect { try response.get() } throws: { ($0 as? TransportError)?.code == .tls }
        }
        #expect(batches().count == 2)
    }

    @Test("Does not retry a call that may have taken effect, such as a create after a 500")
    func notAgain() async throws {
        let (network, batches) = Self.network { _, _ in "HTTP/1.1 500 Oops\r\n\r\n{}" }
        let client = try NotesV1.scripted(network)
        let responses = try await client.batch([client.create(Note())])
        #expect(throws: GoogleAPIError.self) { try responses[0].get() }
        #expect(batches().count == 1)
    }

    @Test("Returns responses of different types for calls of different methods")
    func types() async throws {
        let (network, _) = Self.network { part, _ in
            part.hasPrefix("DELETE") ? "HTTP/1.1 204 No Content\r\n\r\n" : Self.ok(#"{"title":"a"}"#)
        }
        let client = try NotesV1.scripted(network)
        let (note, gone) = try await client.batch(client.get("a"), client.delete("b"))
        #expect(try note.get().title == "a")
        #expect(try gone.get() == NoContent())
    }

    @Test("Redacts a token that the error of a part repeats")
    func secrets() async throws {
        let echo = #"{"error":{"code":400,"message":"Bearer ya29.token is not for this"}}"#
        let (network, _) = Self.network { _, _ in "HTTP/1.1 400 Bad Request\r\n\r\n\(echo)" }
        let client = try NotesV1.scripted(network)
        let error = try await #require(throws: GoogleAPIError.self) {
            try await client.batch([client.get("a")])[0].get()
        }
        #expect(error.message?.hasSuffix(" is not for this") == true)
        #expect(!String(reflecting: error).contains("ya29.token"))
    }

    @Test(
        "Fails a call if the status of its part is not a success",
        .covers(150),
        arguments: [100, 204, 302, 304, 404]
    )
    func statuses(status: Int) async throws {
        let (network, _) = Self.network { _, _ in "HTTP/1.1 \(status) X\r\nLocation: https://evil.example/\r\n\r\n{}" }
        let client = try NotesV1.scripted(network)
        let response = try await client.batch([client.get("a")])[0]
        if status == 204 {
            #expect(throws: Never.self) { try response.get() }
        } else {
            #expect(throws: GoogleAPIError(httpStatus: status)) { try response.get() }
        }
        #expect(network.requests.count == 1)
    }

    @Test("Sends only the parts with a rejected token again, once, with a replacement token", .covers(150))
    func refusedToken() async throws {
        let (network, batches) = Self.network { part, number in
            part.contains("/b/") && number < 2 ? "HTTP/1.1 401 Unauthorized\r\n\r\n{}" : Self.ok(#"{"title":"ok"}"#)
        }
        let source = try NumberedTokens()
        let client = NotesV1(fetcher: AuthorizedFetcher(source, runtime: Self.runtime(network), settings: .google))
        let responses = try await client.batch(["a", "b", "c"].map { client.get($0) })
        #expect(try responses.map { try $0.get().title } == ["ok", "ok", "ok"])
        #expect(batches().map(\.count) == [3, 1])
        #expect(network.requests.map { $0.head.headerFields[.authorization] } == ["Bearer token-1", "Bearer token-2"])
    }

    @Test(
        "Fails a part that is rejected again or for insufficient scope",
        .covers(150),
        arguments: [("", 2), ("WWW-Authenticate: Bearer error=\"insufficient_scope\"\r\n", 1)]
    )
    func refusedAgain(field: String, count: Int) async throws {
        let (network, _) = Self.network { _, _ in "HTTP/1.1 401 Unauthorized\r\n\(field)\r\n{}" }
        let source = try NumberedTokens()
        let client = NotesV1(fetcher: AuthorizedFetcher(source, runtime: Self.runtime(network), settings: .google))
        let responses = try await client.batch(["a", "b"].map { client.get($0) })
        for response in responses { #expect(throws: GoogleAPIError.self) { try response.get() } }
        #expect(network.requests.count == count)
    }

    @Test("Fails only the rejected parts if no replacement token is available", .covers(150))
    func noOtherToken() async throws {
        let (network, _) = Self.network { part, _ in
            part.contains("/b/") ? "HTTP/1.1 401 Unauthorized\r\n\r\n{}" : Self.ok(#"{"title":"ok"}"#)
        }
        let source = try NumberedTokens(last: 1)
        let client = NotesV1(fetcher: AuthorizedFetcher(source, runtime: Self.runtime(network), settings: .google))
        let responses = try await client.batch(["a", "b"].map { client.get($0) })
        #expect(try responses[0].get().title == "ok")
        #expect(throws: NumberedTokens.Exhausted.self) { try responses[1].get() }
        #expect(network.requests.count == 1)
    }

    @Test("Prevents fields and parameters from adding lines or tokens to a part", .covers(150))
    func injection() async throws {
        let (network, _) = Self.network { _, _ in Self.ok(#"{"title":"ok"}"#) }
        let client = try NotesV1.scripted(network)
        var call = client.get("a\r\nGET /evil\r\n\r\n").ifMatch("\"a\"\r\nX-Evil: 1\r\n\r\nDELETE /evil")
            .parameter("q", "1 HTTP/1.1\r\nX-Evil: 2")
        call.headerFields[.authorization] = "Bearer other"
        _ = try await client.batch([call])
        let lines = try #require(network.requests.first).text.split(separator: "\r\n").map { $0.lowercased() }
        #expect(lines.filter { $0.hasPrefix("get ") }.count == 1)
        #expect(!lines.contains { $0.hasPrefix("x-evil") || $0.hasPrefix("delete") || $0.hasPrefix("authorization") })
    }

    @Test("Fails only the call whose part is missing, or all calls if the response is unreadable")
    func damaged() async throws {
        let network = ScriptedTransport { _ in
            .json(
                "--x\r\nContent-ID: <response-0>\r\n\r\n\(Self.ok("{}"))\r\n--x--",
                headerFields: [.contentType: "multipart/mixed; boundary=x"]
            )
        }
        let client = try NotesV1.scripted(network)
        let responses = try await client.batch([client.get("a"), client.get("b")])
        #expect(throws: Never.self) { try responses[0].get() }
        #expect(throws: ProtocolViolationError.self) { try responses[1].get() }
        let nonsense = try NotesV1.scripted(ScriptedTransport { _ in .json("{}") })
        await #expect(throws: ProtocolViolationError.self) { try await nonsense.batch([nonsense.get("a")]) }
    }
}
