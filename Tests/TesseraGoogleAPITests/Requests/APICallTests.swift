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

@Suite("API calls")
struct APICallTests {
    /// Returns the request that a call sends to a server that responds with an empty object.
    private func sent(
        settings: APISettings = APISettings(),
        _ call: (NotesV1) async throws -> Void
    ) async throws -> RecordedRequest {
        let network = ScriptedTransport { _ in .json("{}") }
        try await call(try NotesV1.scripted(network, settings: settings))
        return try #require(network.requests.first)
    }

    @Test("Escapes path parameters and never lets them add a query")
    func paths() async throws {
        let request = try await self.sent { try await $0.get("a/b c?ä", location: "x/y:z?q#f").execute() }
        #expect(request.head.path == "/notes/v1/notes/a%2Fb%20c%3F%C3%A4/x/y:z%3Fq%23f?prettyPrint=false")
    }

    @Test("Rejects empty path segments and dot segments before sending a request", arguments: ["", ".", ".."])
    func steps(_ id: String) async throws {
        let network = ScriptedTransport { _ in .json("{}") }
        let client = try NotesV1.scripted(network)
        await #expect(throws: InvalidRequestError.self) { try await client.get(id).execute() }
        await #expect(throws: InvalidRequestError.self) { try await client.get("a", location: "b/../c").execute() }
        #expect(network.requests.isEmpty)
    }

    @Test("Encodes lists, numbers and Booleans in the query and omits null")
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
        "Applies Google's errors and retry rules to any fetcher without a custom policy",
        arguments: [false, true]
    )
    func anyFetcher(hasOwnPolicy: Bool) async throws {
        struct Never: RetryPolicy {
            func decision(for failure: CallFailure) -> RetryDecision { .fail }
        }
        let limited = #"{"error":{"code":403,"errors":[{"reason":"rateLimitExceeded"}]}}"#
        let network = ScriptedTransport([
            .json(limited, status: .forbidden), .json(#"{"error":{"code":404}}"#, status: .notFound),
        ])
        var runtime = OAuthRuntime.testing(transport: network, clock: TestClock())
        runtime.clock = SelfAdvancingClock()
        let settings = hasOwnPolicy ? FetchSettings(retryPolicy: Never()) : FetchSettings()
        let source = try FixedTokenSource(for: "https://notes.googleapis.com")
        let client = NotesV1(fetcher: AuthorizedFetcher(source, runtime: runtime, settings: settings))
        let error = await #expect(throws: GoogleAPIError.self) { try await client.get("a").execute() }
        #expect(error?.httpStatus == (hasOwnPolicy ? 403 : 404))
        #expect(network.requests.count == (hasOwnPolicy ? 1 : 2))
    }

    @Test("Sends the key, project, bundle and version in fields, to a custom root URL")
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

    @Test("Uses the host of another universe domain")
    func universe() async throws {
        let network = ScriptedTransport { _ in .json("{}") }
        let source = try FixedTokenSource(for: "https://notes.example.com")
        let client = NotesV1(source, transport: network, settings: APISettings(universeDomain: "example.com"))
        try await client.list().execute()
        #expect(network.requests.first?.head.authority == "notes.example.com")
    }

    @Test("Sends no token if the client has only an API key")
    func keyAlone() async throws {
        let network = ScriptedTransport { _ in .json("{}") }
        try await NotesV1(apiKey: Secret("key"), transport: network).list().execute()
        let fields = try #require(network.requests.first).head.headerFields
        let name = try #require(HTTPField.Name("X-Goog-Api-Key"))
        #expect(fields[.authorization] == nil)
        #expect(fields[name] == "key")
    }

    @Test("Sends a GET with a long URL as a POST with a method override")
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

    @Test("Sends the specified entity tags and returns the tag of the response")
    func entityTags() async throws {
        let network = ScriptedTransport { _ in
            .json(#"{"title":"a"}"#, headerFields: [.eTag: "\"2\""])
        }
        let client = try NotesV1.scripted(network)
        let response = try await client.get("a").ifNoneMatch("\"1\"").response()
        #expect(response.entityTag == "\"2\"")
        #expect(response.value.title == "a")
        try await client.create(Note()).ifMatch("\"2\"").execute()
        #expect(network.requests.map { $0.head.headerFields[.ifNoneMatch] } == ["\"1\"", nil])
        #expect(network.requests.last?.head.headerFields[.ifMatch] == "\"2\"")
    }

    @Test("Throws the API's error with its reason")
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

    @Test("Rejects a response that is not JSON and accepts an empty one")
    func nonsense() async throws {
        let network = ScriptedTransport { request in
            request.head.method == .delete ? .status(.noContent) : .json("<html>")
        }
        let client = try NotesV1.scripted(network)
        let error = await #expect(throws: ProtocolViolationError.self) { try await client.get("a").execute() }
        #expect(error?.rule == .apiResponse)
        try await client.delete("a").execute()
    }
}
