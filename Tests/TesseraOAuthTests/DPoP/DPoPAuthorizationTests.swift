// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("DPoP in authorization requests")
struct DPoPAuthorizationTests {
    private static let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]))

    private static func pending(
        _ key: DPoPKey?,
        _ changes: [String: String] = [:],
        additionalParameters: [String: String] = [:]
    ) throws -> PendingAuthorization {
        let request = AuthorizationRequest(
            redirectURI: try RedirectURI(Example.redirectURI),
            scopes: [.openID],
            additionalParameters: additionalParameters
        )
        return try PendingAuthorization(
            request,
            metadata: try Example.metadata(changes),
            client: Example.client,
            runtime: Self.runtime,
            dpop: key.map { DPoPProver($0, runtime: Self.runtime) }
        )
    }

    @Test("Sends dpop_jkt only for a request with a DPoP key, and reserves the parameter", .covers(19, 59))
    func thumbprint() throws {
        let key = try DPoPKey.generate()
        #expect(try Self.pending(key).sent("dpop_jkt") == [key.thumbprint])
        #expect(try Self.pending(nil).sent("dpop_jkt") == [])
        #expect(
            outcome { try Self.pending(nil, additionalParameters: ["dpop_jkt": "x"]) } == "InvalidRequestError dpop_jkt"
        )
    }

    @Test("Exchanges the code only with the DPoP key of its authorization request", .covers(35, 59))
    func binding() throws {
        let key = try DPoPKey.generate()
        let response = try #require(try Self.pending(key).code())
        #expect(response.dpopKey == key)
        var client = try Example.registered()
        #expect(
            outcome { try TokenRequest.authorizationCode(response).message(for: client) }
                == "InvalidRequestError dpop_jkt"
        )
        client.dpop = DPoPProver(try .generate(), runtime: Self.runtime)
        #expect(
            outcome { try TokenRequest.authorizationCode(response).message(for: client) }
                == "InvalidRequestError dpop_jkt"
        )
        client.dpop = DPoPProver(key, runtime: Self.runtime)
        #expect(outcome { try TokenRequest.authorizationCode(response).message(for: client) } == "accepted")
    }

    @Test("A pushed request carries a DPoP proof and is retried once with the server's nonce", .covers(56, 59, 101))
    func pushed() async throws {
        let network = ScriptedTransport([
            .json(#"{"error":"use_dpop_nonce"}"#, status: .badRequest, headerFields: try .nonce("n1")),
            .json(#"{"request_uri":"urn:example:1","expires_in":60}"#, status: .created),
        ])
        let runtime = OAuthRuntime.testing(transport: network)
        let key = try DPoPKey.generate()
        let client = RegisteredClient(
            Example.client,
            metadata: try Example.metadata(["pushed_authorization_request_endpoint": "\"https://as.example/par\""]),
            runtime: runtime,
            dpop: DPoPProver(key, runtime: runtime)
        )
        let request = AuthorizationRequest(redirectURI: try RedirectURI(Example.redirectURI), scopes: [.openID])
        let pending = try await PendingAuthorization.begin(request, by: client, isPushed: true)
        #expect(pending.sent.map(\.name) == ["client_id", "request_uri"])
        #expect(network.requests.count == 2)
        for request in network.requests {
            #expect(request.formValue("dpop_jkt") == key.thumbprint)
            let proof = try request.proof
            #expect(proof.key.thumbprint == key.thumbprint)
            #expect(proof.claim("htu") == "https://as.example/par")
        }
        #expect(try network.requests.map { try $0.proof.claim("nonce") } == [nil, "n1"])
    }

    @Test(
        "Rejects a DPoP key whose algorithm the provider does not support",
        .covers(105),
        arguments: [
            ("", "accepted"), (#"["ES256"]"#, "accepted"), (#"["RS256","ES256"]"#, "accepted"),
            (#"["RS256","EdDSA"]"#, "metadata.dpopAlgorithm"), ("[]", "metadata.dpopAlgorithm"),
            (#"["es256"]"#, "metadata.dpopAlgorithm"),
        ]
    )
    func algorithm(supported: String, expected: String) throws {
        let changes = ["dpop_signing_alg_values_supported": supported]
        let key = try DPoPKey.generate()
        #expect(outcome { try Self.pending(key, changes) } == expected)
        #expect(outcome { try Self.pending(nil, changes) } == "accepted")
    }
}
