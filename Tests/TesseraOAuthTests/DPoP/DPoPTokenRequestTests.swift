// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("DPoP at the token endpoint")
struct DPoPTokenRequestTests {
    private static let demand = #"{"error":"use_dpop_nonce","error_description":"nonce, please"}"#
    private static let tokens = Example.response(["token_type": "\"dPoP\""])

    private static func client(
        _ transport: ScriptedTransport,
        usesDPoP: Bool = true,
        insecure: Insecure = []
    ) throws -> RegisteredClient {
        let runtime = OAuthRuntime.testing(transport: transport)
        var client = try Example.registered(runtime: runtime)
        if usesDPoP { client.dpop = DPoPProver(try .generate(), runtime: runtime) }
        client.insecure = insecure
        return client
    }

    private static func refresh() throws -> TokenRequest {
        .refresh(Secret("r"), at: try Endpoint("https://as.example/token?p=q", name: "token_endpoint"))
    }

    @Test("A token request carries a proof for its own URL without an access token hash", .covers(100))
    func proof() async throws {
        let network = ScriptedTransport([.json(Self.tokens)])
        let client = try Self.client(network)
        #expect(try await client.send(try Self.refresh()).tokenType == .dpop)
        let proof = try network.requests[0].proof
        #expect(proof.claim("htm") == "POST")
        #expect(proof.claim("htu") == "https://as.example/token")
        #expect(proof.claim("ath") == nil)
        #expect(proof.claim("nonce") == nil)
        #expect(proof.key.thumbprint == client.dpop?.key.thumbprint)
    }

    @Test("A revocation request carries no DPoP proof")
    func otherEndpoints() async throws {
        let network = ScriptedTransport([.status(.ok)])
        let endpoint = try Endpoint("https://as.example/revoke", name: "revocation_endpoint")
        try await Self.client(network).send(RevocationRequest.refreshToken(Secret("r"), at: endpoint))
        #expect(network.requests[0].head.headerFields[try #require(HTTPField.Name("DPoP"))] == nil)
    }

    @Test(
        "Retries once with a new proof when the server demands a nonce",
        .covers(64, 100, 101),
        arguments: [HTTPResponse.Status.badRequest, .unauthorized]
    )
    func retry(_ status: HTTPResponse.Status) async throws {
        let network = ScriptedTransport([
            .json(Self.demand, status: status, headerFields: try .nonce("n1")),
            .json(Self.tokens, headerFields: try .nonce("n2")), .json(Self.tokens),
        ])
        let client = try Self.client(network)
        _ = try await client.send(try Self.refresh())
        let proofs = try network.requests.map { try $0.proof }
        #expect(proofs.map { $0.claim("nonce") } == [nil, "n1"])
        #expect(Set(proofs.map { $0.claim("jti") }).count == 2)
        #expect(network.requests[0].body == network.requests[1].body)
        // The successful response contained the newest nonce.
        _ = try await client.send(try Self.refresh())
        #expect(try network.requests[2].proof.claim("nonce") == "n2")
    }

    @Test("Stops after one retry when the server keeps demanding a nonce", .covers(102))
    func endless() async throws {
        let network = ScriptedTransport { _ in
            .json(Self.demand, status: .badRequest, headerFields: try .nonce("again"))
        }
        let client = try Self.client(network)
        #expect(await eventualOutcome { try await client.send(try Self.refresh()) } == "OAuthError use_dpop_nonce")
        #expect(network.requests.count == 2)
    }

    private static func finalResponses() throws -> [(ScriptedResponse, String)] {
        [
            (.json(Self.demand, status: .badRequest), "OAuthError use_dpop_nonce"),
            (
                .json(
                    Self.demand,
                    status: .badRequest,
                    headerFields: try .nonce(String(repeating: "n", count: 10_000))
                ),
                "OAuthError use_dpop_nonce"
            ),
            (
                .json(#"{"error":"invalid_grant"}"#, status: .badRequest, headerFields: try .nonce("n")),
                "OAuthError invalid_grant"
            ),
            (.json(Self.demand, status: .forbidden, headerFields: try .nonce("n")), "OAuthError use_dpop_nonce"),
            (.json("<html>", status: .badRequest, headerFields: try .nonce("n")), "HTTPStatusError 400"),
            (.json(Self.demand, headerFields: try .nonce("n")), "token.format"),
        ]
    }

    @Test(
        "Does not retry without a usable nonce or on another status or error",
        .covers(102),
        arguments: try Self.finalResponses()
    )
    func noRetry(response: ScriptedResponse, expected: String) async throws {
        let network = ScriptedTransport { _ in response }
        let client = try Self.client(network)
        #expect(await eventualOutcome { try await client.send(try Self.refresh()) } == expected)
        #expect(network.requests.count == 1)
    }

    @Test("Does not retry a request without a proof when the server demands a nonce", .covers(102))
    func noRetryWithoutProof() async throws {
        let network = ScriptedTransport { _ in
            .json(Self.demand, status: .badRequest, headerFields: try .nonce("n"))
        }
        let bearer = try Self.client(network, usesDPoP: false)
        #expect(await eventualOutcome { try await bearer.send(try Self.refresh()) } == "OAuthError use_dpop_nonce")
        #expect(network.requests.count == 1)
    }

    @Test(
        "Requires the requested token type and rejects a downgrade to Bearer",
        .covers(67, 68),
        arguments: [
            ("DPoP", true, Insecure(), "accepted"), ("dpop", true, [], "accepted"),
            ("Bearer", true, [], "token.type"), ("bearer", true, .loopbackHTTP, "token.type"),
            ("Bearer", true, .bearerInsteadOfDPoP, "accepted"), ("mac", true, .bearerInsteadOfDPoP, "token.type"),
            ("DPoP", false, [], "token.type"), ("DPoP", false, .bearerInsteadOfDPoP, "token.type"),
            ("Bearer", false, [], "accepted"),
        ] as [(String, Bool, Insecure, String)]
    )
    func downgrade(type: String, usesDPoP: Bool, insecure: Insecure, expected: String) async throws {
        let network = ScriptedTransport([.json(Example.response(["token_type": "\"\(type)\""]))])
        let client = try Self.client(network, usesDPoP: usesDPoP, insecure: insecure)
        #expect(await eventualOutcome { try await client.send(try Self.refresh()) } == expected)
    }
}
