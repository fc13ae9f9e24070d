// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraAgent
internal import TesseraJSON
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("What programs send to an agent", .timeLimit(.minutes(1)))
struct AgentRequestTests {
    @Test(
        "What is no request is refused in OAuth's form",
        arguments: [
            ("POST", "/v1/token", "no JSON"), ("POST", "/v1/token", "[]"), ("POST", "/v1/token", #"{"account": 1}"#),
            ("POST", "/v1/token", #"{"scope": "email\u001b[2J"}"#), ("POST", "/v1/token", #"{"scope": "\""}"#),
            ("POST", "/v1/token", #"{"scope": ["email"]}"#), ("POST", "/v1/token", #"{"min_validity": -1}"#),
            ("POST", "/v1/token", #"{"min_validity": 1e300}"#), ("POST", "/v1/token", #"{"min_validity": "x"}"#),
            ("POST", "/v1/token", #"{"account": "a", "account": "b"}"#),
            ("POST", "/v1/token", #"{"refused_token": {}}"#),
            ("POST", "/v1/token", String(repeating: "[", count: 10_000)), ("GET", "/v1/token", ""),
            ("POST", "/v2/token", "{}"), ("DELETE", "/v1/accounts", ""), ("GET", "/", ""), ("POST", "/v1/status", ""),
        ]
    )
    func malformed(_ method: String, _ path: String, _ body: String) async throws {
        try await AgentWorld.withAgent { world, _ in
            let answer = try await Self.send(
                LoopbackRequest(method: method, target: path, body: Array(body.utf8)),
                world
            )
            #expect(answer.status == 400)
            let object = try JSONValue(parsing: answer.body)
            #expect(object["error"]?.string == "invalid_request")
            #expect(object["error_description"]?.string?.isEmpty == false)
            #expect(world.lines.isEmpty)
        }
    }

    @Test("An empty body, and members that nobody knows, ask for the usual token")
    func lenient() async throws {
        try await AgentWorld.withAgent { world, _ in
            for body in ["", "{}", #"{"unknown": [1], "account": null, "scope": ""}"#] {
                let request = LoopbackRequest(method: "POST", target: "/v1/token", body: Array(body.utf8))
                let answer = try await Self.send(request, world)
                #expect(answer.status == 200)
                let object = try JSONValue(parsing: answer.body)
                #expect(object["token_type"]?.string == "Bearer")
                #expect(object["refresh_token"] == nil)
            }
        }
    }

    @Test("Requests that are too long are refused, and the next program gets its token")
    func oversized() async throws {
        try await AgentWorld.withAgent { world, client in
            let body = LoopbackRequest(
                method: "POST",
                target: "/v1/token",
                body: [UInt8](repeating: 0x20, count: 70_000)
            )
            #expect((try? await Self.send(body, world))?.status ?? 413 == 413)
            let field = LoopbackRequest.Header(name: "X", value: String(repeating: "x", count: 9_000))
            let head = LoopbackRequest(method: "POST", target: "/v1/token", headers: [field])
            #expect((try? await Self.send(head, world))?.status ?? 431 == 431)
            let token = try await client.token()
            #expect(token.expiresIn == 3_600)
            #expect(world.lines.count == 1)
        }
    }

    private static func send(_ request: LoopbackRequest, _ world: AgentWorld) async throws -> LocalAnswer {
        let path = world.place.socket
        return try await BlockingExecutor()
            .run {
                try LocalExchange.send(request, to: path, timeout: .seconds(30))
            }
    }
}
