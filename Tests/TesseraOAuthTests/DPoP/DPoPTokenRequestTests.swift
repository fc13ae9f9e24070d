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
    private static let tokens = Example.answer(["token_type": "\"dPoP\""])

    private static func client(
        _ transport: ScriptedTransport,
        asksForDPoP: Bool = true,
        insecure: Insecure = []
    ) throws -> RegisteredClient {
        let runtime = OAuthRuntime.testing(transport: transport)
        var client = try Example.registered(runtime: runtime)
        if asksForDPoP { client.dpop = DPoPProver(try .generate(), runtime: runtime) }
        client.insecure = insecure
        return client
    }

    private static func refresh() throws -> TokenRequest {
        .refresh(Secret("r"), at: try Endpoint("https://as.example/token?p=q", name: "token_endpoint"))
    }

    @Test("A token request proves the key to its own URL, and names no access token", .covers(100))
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

    @Test("Other requests carry no proof: revocation and whatever does not say that it does")
    func otherEndpoints() async throws {
        let network = ScriptedTransport([.status(.ok)])
        let endpoint = try Endpoint("https://as.example/revoke", name: "revocation_endpoint")
        try await Self.client(network).send(RevocationRequest.refreshToken(Secret("r"), at: endpoint))
        #expect(network.requests[0].head.headerFields[try #require(HTTPField.Name("DPoP"))] == nil)
    }

    @Test(
        "A server that demands a nonce and gives it is asked once more, with a new proof",
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
        // The newest nonce is that of the good answer.
        _ = try await client.send(try Self.refresh())
        #expect(try network.requests[2].proof.claim("nonce") == "n2")
    }

    @Test("A server that demands a nonce for ever is asked twice and no more", .covers(102))
    func endless() async throws {
        let network = ScriptedTransport { _ in
            .json(Self.demand, status: .badRequest, headerFields: try .nonce("again"))
        }
        let client = try Self.client(network)
        #expect(await eventualOutcome { try await client.send(try Self.refresh()) } == "OAuthError use_dpop_nonce")
        #expect(network.requests.count == 2)
    }

    private static func finalAnswers() throws -> [(ScriptedAnswer, String)] {
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
        "A demand without a usable nonce, with another status or error, brings no second try",
        .covers(102),
        arguments: try Self.finalAnswers()
    )
    func noRetry(answer: ScriptedAnswer, expected: String) async throws {
        let network = ScriptedTransport { _ in answer }
        let client = try Self.client(network)
        #expect(await eventualOutcome { try await client.send(try Self.refresh()) } == expected)
        #expect(network.requests.count == 1)
    }

    @Test("A demand for a nonce after a request without a proof brings no second try", .covers(102))
    func noRetryWithoutProof() async throws {
        let network = ScriptedTransport { _ in
            .json(Self.demand, status: .badRequest, headerFields: try .nonce("n"))
        }
        let bearer = try Self.client(network, asksForDPoP: false)
        #expect(await eventualOutcome { try await bearer.send(try Self.refresh()) } == "OAuthError use_dpop_nonce")
        #expect(network.requests.count == 1)
    }

    @Test(
        "The type of the token is the one that was asked for: no downgrade, nothing unasked",
        .covers(67, 68),
        arguments: [
            ("DPoP", true, Insecure(), "accepted"), ("dpop", true, [], "accepted"),
            ("Bearer", true, [], "token.type"), ("bearer", true, .loopbackHTTP, "token.type"),
            ("Bearer", true, .bearerInsteadOfDPoP, "accepted"), ("mac", true, .bearerInsteadOfDPoP, "token.type"),
            ("DPoP", false, [], "token.type"), ("DPoP", false, .bearerInsteadOfDPoP, "token.type"),
            ("Bearer", false, [], "accepted"),
        ] as [(String, Bool, Insecure, String)]
    )
    func downgrade(type: String, asked: Bool, insecure: Insecure, expected: String) async throws {
        let network = ScriptedTransport([.json(Example.answer(["token_type": "\"\(type)\""]))])
        let client = try Self.client(network, asksForDPoP: asked, insecure: insecure)
        #expect(await eventualOutcome { try await client.send(try Self.refresh()) } == expected)
    }
}
