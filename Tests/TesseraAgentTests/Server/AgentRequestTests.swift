// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraAgent
internal import TesseraJSON
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("Requests to the agent", .timeLimit(.minutes(1)))
struct AgentRequestTests {
    @Test(
        "Rejects a malformed request with an OAuth error",
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
        try await AgentHarness.withAgent { harness, _ in
            let response = try await Self.send(
                LoopbackRequest(method: method, target: path, body: Array(body.utf8)),
                harness
            )
            #expect(response.status == 400)
            let object = try JSONValue(parsing: response.body)
            #expect(object["error"]?.string == "invalid_request")
            #expect(object["error_description"]?.string?.isEmpty == false)
            #expect(harness.lines.isEmpty)
        }
    }

    @Test("Issues the default token for an empty body and for unknown members")
    func lenient() async throws {
        try await AgentHarness.withAgent { harness, _ in
            for body in ["", "{}", #"{"unknown": [1], "account": null, "scope": ""}"#] {
                let request = LoopbackRequest(method: "POST", target: "/v1/token", body: Array(body.utf8))
                let response = try await Self.send(request, harness)
                #expect(response.status == 200)
                let object = try JSONValue(parsing: response.body)
                #expect(object["token_type"]?.string == "Bearer")
                #expect(object["refresh_token"] == nil)
            }
        }
    }

    @Test("Rejects oversized requests and serves the next one")
    func oversized() async throws {
        try await AgentHarness.withAgent { harness, client in
            let body = LoopbackRequest(
                method: "POST",
                target: "/v1/token",
                body: [UInt8](repeating: 0x20, count: 70_000)
            )
            #expect((try? await Self.send(body, harness))?.status ?? 413 == 413)
            let field = LoopbackRequest.Header(name: "X", value: String(repeating: "x", count: 9_000))
            let head = LoopbackRequest(method: "POST", target: "/v1/token", headers: [field])
            #expect((try? await Self.send(head, harness))?.status ?? 431 == 431)
            let token = try await client.token()
            #expect(token.expiresIn == 3_600)
            #expect(harness.lines.count == 1)
        }
    }

    private static func send(_ request: LoopbackRequest, _ harness: AgentHarness) async throws -> LocalResponse {
        let path = harness.location.socket
        return try await BlockingExecutor()
            .run {
                try LocalExchange.send(request, to: path, timeout: .seconds(30))
            }
    }
}
