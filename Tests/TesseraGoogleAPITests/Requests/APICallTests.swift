// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Calls of an API")
struct APICallTests {
    /// The request that a call comes to, whose answer is an empty object.
    private func sent(
        settings: APISettings = APISettings(),
        _ call: (NotesV1) async throws -> Void
    ) async throws -> RecordedRequest {
        let network = ScriptedTransport { _ in .json("{}") }
        try await call(try NotesV1.scripted(network, settings: settings))
        return try #require(network.requests.first)
    }

    @Test("Parameters of the path are escaped, wholly or but for what a path may hold; a query is never added by one")
    func paths() async throws {
        let request = try await self.sent { try await $0.get("a/b c?ä", place: "x/y:z?q#f").execute() }
        #expect(request.head.path == "/notes/v1/notes/a%2Fb%20c%3F%C3%A4/x/y:z%3Fq%23f?prettyPrint=false")
    }

    @Test("A part of the path that is empty or a step is refused before anything is sent", arguments: ["", ".", ".."])
    func steps(_ id: String) async throws {
        let network = ScriptedTransport { _ in .json("{}") }
        let client = try NotesV1.scripted(network)
        await #expect(throws: InvalidRequestError.self) { try await client.get(id).execute() }
        await #expect(throws: InvalidRequestError.self) { try await client.get("a", place: "b/../c").execute() }
        #expect(network.requests.isEmpty)
    }

    @Test("Lists are repeated, times, numbers and truth values are texts, null is left out")
    func queries() async throws {
        let request = try await self.sent { client in
            var call = client.list()
            call.request.arguments.parameters[value: "id"] = ["a b", "c&d"]
            call.request.arguments.parameters[int: "pageSize"] = 5
            call.request.arguments.parameters[bool: "deep"] = true
            call.request.arguments.parameters[json: "gone"] = JSONNode.null
            try await call.fields("items(id)").quotaUser("ada").parameter("new", "1").execute()
        }
        #expect(
            request.head.path
                == "/notes/v1/notes?id=a%20b&id=c%26d&pageSize=5&deep=true&fields=items%28id%29&quotaUser=ada&new=1"
                + "&prettyPrint=false"
        )
    }

    @Test(
        "A client with any fetcher has Google's errors and retry rules, unless the caller supplied a policy",
        arguments: [false, true]
    )
    func anyFetcher(hasOwnPolicy: Bool) async throws {
        struct Never: RetryPolicy {
            func verdict(on failure: CallFailure) -> RetryVerdict { .final }
        }
        let limited = #"{"error":{"code":403,"errors":[{"reason":"rateLimitExceeded"}]}}"#
        let network = ScriptedTransport([
            .json(limited, status: .forbidden), .json(#"{"error":{"code":404}}"#, status: .notFound),
        ])
        var runtime = OAuthRuntime.testing(transport: network, clock: TestClock())
        runtime.clock = ImpatientClock()
        let settings = hasOwnPolicy ? FetchSettings(retryPolicy: Never()) : FetchSettings()
        let source = try FixedTokenSource(for: "https://notes.googleapis.com")
        let client = NotesV1(fetcher: AuthorizedFetcher(source, runtime: runtime, settings: settings))
        let error = await #expect(throws: GoogleAPIError.self) { try await client.get("a").execute() }
        #expect(error?.httpStatus == (hasOwnPolicy ? 403 : 404))
        #expect(network.requests.count == (hasOwnPolicy ? 1 : 2))
    }

    @Test("Key, project, bundle and version go in fields, and the root can be another")
    func fields() async throws {
        let settings = APISettings(
            rootURL: "https://notes.example.com",
            apiKey: Secret("key"),
            bundleIdentifier: "com.example",
            quotaProject: "mine"
        )
        let request = try await self.sent(settings: settings) { try await $0.create(Note()).execute() }
        let fields = request.head.headerFields
        #expect(request.head.authority == "notes.example.com")
        #expect(request.head.path?.contains("key") == false)
        for (name, value) in [
            ("X-Goog-Api-Key", "key"), ("X-Goog-User-Project", "mine"), ("X-Ios-Bundle-Identifier", "com.example"),
            ("X-Goog-Api-Version", "2026-11-01"), ("Content-Type", "application/json; charset=utf-8"),
        ] {
            #expect(fields[try #require(HTTPField.Name(name))] == value)
        }
    }

    @Test("Another universe has other hosts")
    func universe() async throws {
        let network = ScriptedTransport { _ in .json("{}") }
        let source = try FixedTokenSource(for: "https://notes.example.com")
        let client = NotesV1(source, transport: network, settings: APISettings(universeDomain: "example.com"))
        try await client.list().execute()
        #expect(network.requests.first?.head.authority == "notes.example.com")
    }

    @Test("With a key alone no token is asked for and none is sent")
    func keyAlone() async throws {
        let network = ScriptedTransport { _ in .json("{}") }
        try await NotesV1(apiKey: Secret("key"), transport: network).list().execute()
        let fields = try #require(network.requests.first).head.headerFields
        let name = try #require(HTTPField.Name("X-Goog-Api-Key"))
        #expect(fields[.authorization] == nil)
        #expect(fields[name] == "key")
    }

    @Test("A GET whose URL is too long is a POST that says what it is")
    func long() async throws {
        let request = try await self.sent { client in
            var call = client.list()
            call.request.arguments.parameters[string: "q"] = String(repeating: "ä", count: 400)
            try await call.execute()
        }
        #expect(request.head.method == .post)
        #expect(request.head.path == "/notes/v1/notes")
        #expect(request.head.headerFields[try #require(HTTPField.Name("X-HTTP-Method-Override"))] == "GET")
        #expect(request.formValue("q") == String(repeating: "ä", count: 400))
    }

    @Test("Entity tags are sent when they are given, and read from the answer")
    func entityTags() async throws {
        let network = ScriptedTransport { _ in
            .json(#"{"title":"a"}"#, headerFields: [.eTag: "\"2\""])
        }
        let client = try NotesV1.scripted(network)
        let answer = try await client.get("a").ifNoneMatch("\"1\"").answer()
        #expect(answer.entityTag == "\"2\"")
        #expect(answer.value.title == "a")
        try await client.create(Note()).ifMatch("\"2\"").execute()
        #expect(network.requests.map { $0.head.headerFields[.ifNoneMatch] } == ["\"1\"", nil])
        #expect(network.requests.last?.head.headerFields[.ifMatch] == "\"2\"")
    }

    @Test("What the API says is an error of its own, with its reason")
    func errors() async throws {
        let network = ScriptedTransport { _ in
            .json(
                #"{"error":{"code":404,"message":"No.","errors":[{"domain":"global","reason":"notFound"}]}}"#,
                status: .notFound
            )
        }
        let client = try NotesV1.scripted(network)
        let error = await #expect(throws: GoogleAPIError.self) { try await client.get("a").execute() }
        #expect(error?.reasonNames == ["notFound"])
        #expect(error?.recoverySuggestion?.contains("identifier") == true)
    }

    @Test("An answer that is no JSON is a violation, and one that says nothing is nothing")
    func nonsense() async throws {
        let network = ScriptedTransport { request in
            request.head.method == .delete ? .status(.noContent) : .json("<html>")
        }
        let client = try NotesV1.scripted(network)
        let error = await #expect(throws: ProtocolViolationError.self) { try await client.get("a").execute() }
        #expect(error?.rule == .apiAnswer)
        try await client.delete("a").execute()
    }
}
