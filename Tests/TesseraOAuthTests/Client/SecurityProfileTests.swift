// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("FAPI 2.0 security profile")
struct SecurityProfileTests {
    /// A client, a provider and a request that comply with the profile, unless a test changes them.
    struct Setup: Sendable {
        var client: OAuthClient
        var dpopKey: DPoPKey?
        var insecure: Insecure = []
        var metadata = [
            "pushed_authorization_request_endpoint": "\"https://as.example/par\"",
            "authorization_response_iss_parameter_supported": "true",
            "id_token_signing_alg_values_supported": "[\"RS256\",\"PS256\",\"ES256\"]",
        ]
        var request: AuthorizationRequest
        var signingKey: JWSSigningKey?

        init() throws {
            self.client = OAuthClient(
                clientID: "client",
                assertionKey: try .generate(.es256),
                securityProfile: .fapi2
            )
            self.dpopKey = try .generate()
            self.request = AuthorizationRequest(redirectURI: try RedirectURI(Example.redirectURI), scopes: [.openID])
        }

        /// Binds tokens to the transport's certificate instead of a DPoP key.
        mutating func useCertificate() {
            self.dpopKey = nil
            self.client.certificateBoundAccessTokens = true
            self.metadata["tls_client_certificate_bound_access_tokens"] = "true"
        }

        func registered(_ transport: ScriptedTransport) throws -> RegisteredClient {
            let runtime = OAuthRuntime.testing(transport: transport)
            return RegisteredClient(
                self.client,
                metadata: try ServerMetadata(
                    parsing: Array(Example.document(self.metadata).utf8),
                    insecure: self.insecure.union(.loopbackHTTP)
                ),
                runtime: runtime,
                dpop: self.dpopKey.map { DPoPProver($0, runtime: runtime) },
                insecure: self.insecure
            )
        }

        func begin(_ transport: ScriptedTransport) async throws -> PendingAuthorization {
            try await .begin(self.request, by: try self.registered(transport), signingKey: self.signingKey)
        }
    }

    /// A change that violates the profile.
    struct Violation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The error, as ``outcome(_:)`` describes it.
        let expected: String
        let change: @Sendable (inout Setup) throws -> Void

        init(_ description: String, _ expected: String, _ change: @escaping @Sendable (inout Setup) throws -> Void) {
            self.testDescription = description
            self.expected = expected
            self.change = change
        }
    }

    private static let accepted = ScriptedResponse.json(
        #"{"request_uri":"urn:x:1","expires_in":60}"#,
        status: .created
    )

    /// The violations of a client's settings.
    private static let settings = [
        Violation("an exception", "InvalidRequestError insecure") { $0.insecure = .loopbackHTTP },
        Violation("no authentication", "InvalidRequestError token_endpoint_auth_method") {
            $0.client.assertionKey = nil
        },
        Violation("a secret", "InvalidRequestError token_endpoint_auth_method") {
            $0.client.authentication = .clientSecretPost
        },
        Violation("a secret as an alternative", "InvalidRequestError token_endpoint_auth_method") {
            $0.client.clientSecret = Secret("secret")
        },
        Violation("no assertion key", "InvalidRequestError assertionKey") {
            $0.client.assertionKey = nil
            $0.client.authentication = .privateKeyJWT
        },
        Violation("an ES384 assertion", "InvalidRequestError token_endpoint_auth_signing_alg") {
            $0.client.assertionKey = try .generate(.es384)
        },
        Violation("another audience", "InvalidRequestError assertionAudience") {
            $0.client.assertionAudience = .endpoint
        },
        Violation("RS256 ID tokens", "InvalidRequestError id_token_signed_response_alg") {
            $0.client.idTokenAlgorithms = [.es256, .rs256]
        },
        Violation("RS256 responses", "InvalidRequestError authorization_signed_response_alg") {
            $0.client.authorizationResponseAlgorithms = [.rs256]
        },
        Violation("bearer tokens", "InvalidRequestError dpop") { $0.dpopKey = nil },
        Violation("an ES384 proof", "InvalidRequestError DPoP") { $0.dpopKey = try .generate(.es384) },
        Violation("no bound tokens", "InvalidRequestError tls_client_certificate_bound_access_tokens") {
            $0.useCertificate()
            $0.metadata["tls_client_certificate_bound_access_tokens"] = nil
        },
        Violation("an http endpoint", "InvalidRequestError metadata") {
            $0.metadata["token_endpoint"] = "\"http://127.0.0.1/t\""
        },
        Violation("an http alias", "InvalidRequestError metadata") {
            $0.metadata["mtls_endpoint_aliases"] = #"{"token_endpoint":"http://127.0.0.1/t"}"#
        },
    ]

    /// The violations of an authorization request.
    private static let requests = [
        Violation("the hybrid flow", "InvalidRequestError response_type") { $0.request.responseType = .codeIDToken },
        Violation("a redirect to localhost", "InvalidRequestError redirect_uri") {
            $0.request.redirectURI = try RedirectURI("http://localhost:5000/callback")
        },
        Violation("an ES384 request object", "InvalidRequestError request_object_signing_alg") {
            $0.signingKey = try .generate(.es384)
        },
        Violation("no endpoint for pushed requests", "metadata.missing") {
            $0.metadata["pushed_authorization_request_endpoint"] = nil
        },
        Violation("no iss in responses", "metadata.missing") {
            $0.metadata["authorization_response_iss_parameter_supported"] = nil
        },
        Violation("only RS256 ID tokens", "InvalidRequestError id_token_signed_response_alg") {
            $0.metadata["id_token_signing_alg_values_supported"] = "[\"RS256\"]"
        },
        Violation("unknown algorithms of ID tokens", "InvalidRequestError id_token_signed_response_alg") {
            $0.metadata["id_token_signing_alg_values_supported"] = nil
        },
        Violation("only RS256 responses", "InvalidRequestError authorization_signed_response_alg") {
            $0.request.responseMode = .jwt
            $0.metadata["authorization_signing_alg_values_supported"] = "[\"RS256\"]"
        },
    ]

    @Test("Rejects every violation of the profile before any request", arguments: Self.settings + Self.requests)
    func violation(_ violation: Violation) async throws {
        var setup = try Setup()
        try violation.change(&setup)
        let transport = ScriptedTransport([Self.accepted])
        #expect(await eventualOutcome { try await setup.begin(transport) } == violation.expected)
        #expect(transport.requests.isEmpty)
    }

    @Test("Rejects a token request of a client that violates the profile", arguments: Self.settings)
    func tokenRequest(_ violation: Violation) async throws {
        var setup = try Setup()
        try violation.change(&setup)
        let transport = ScriptedTransport([.json(Example.response())])
        let client = try setup.registered(transport)
        #expect(await eventualOutcome { try await client.send(TokenRequest.clientCredentials()) } == violation.expected)
        #expect(transport.requests.isEmpty)
    }

    @Test("The error for a violation names the profile and the setting to change")
    func guidance() async throws {
        var setup = try Setup()
        setup.dpopKey = nil
        let error = await #expect(throws: InvalidRequestError.self) {
            try await setup.begin(ScriptedTransport([Self.accepted]))
        }
        #expect(error?.reason.hasPrefix("the FAPI 2.0 Security Profile ") == true)
        #expect(error?.recoverySuggestion?.contains("OAuthClient.certificateBoundAccessTokens") == true)
    }

    @Test("Accepts only the permitted algorithms of a provider that lists others too")
    func algorithms() throws {
        let client = try Setup().client
        #expect(client.idTokenAlgorithms(supported: ["RS256", "PS256", "ES512", "EdDSA"]) == [.ps256, .edDSA])
    }

    @Test(
        "Pushes every authorization request with an assertion and a proof",
        arguments: ["http://127.0.0.1:5000/callback", "http://[::1]/callback", "https://app.example/callback"]
    )
    func pushed(_ redirectURI: String) async throws {
        var setup = try Setup()
        setup.request.redirectURI = try RedirectURI(redirectURI)
        let transport = ScriptedTransport([Self.accepted])
        let pending = try await setup.begin(transport)
        #expect(pending.sent.map(\.name) == ["client_id", "request_uri"])
        let pushed = try #require(transport.requests.first)
        #expect(pushed.formValue("code_challenge_method") == "S256")
        #expect(pushed.formValue("dpop_jkt") == setup.dpopKey?.thumbprint)
        #expect(pushed.head.headerFields[.dpop] != nil)
        let assertion = try CompactJWS(parsing: try #require(pushed.formValue("client_assertion")))
        #expect(try assertion.claims()["aud"]?.string == Example.issuer)
        #expect(
            outcome {
                try PendingAuthorization(
                    setup.request,
                    metadata: try Example.metadata(setup.metadata),
                    client: setup.client,
                    runtime: .testing(transport: transport)
                )
            } == "InvalidRequestError request_uri"
        )
    }

    @Test("Permits bearer tokens that are bound to the certificate with which the client authenticates")
    func certificate() async throws {
        var setup = try Setup()
        setup.useCertificate()
        setup.client.assertionKey = nil
        setup.client.authentication = .tlsClientAuth
        let transport = ScriptedTransport([.json(Example.response())])
        let client = try setup.registered(transport)
        #expect(try await client.send(TokenRequest.clientCredentials()).tokenType == .bearer)
    }

    @Test("Does not require a key or certificate to revoke a token")
    func revocation() async throws {
        var setup = try Setup()
        setup.dpopKey = nil
        let transport = ScriptedTransport([.status(.ok)])
        let endpoint = try Endpoint("https://as.example/revoke", name: "revocation_endpoint")
        let client = try setup.registered(transport)
        try await client.send(RevocationRequest.refreshToken(Secret("token"), at: endpoint))
        #expect(transport.requests.count == 1)
    }

    @Test("Does not require the announcement of iss for a signed response, which contains it")
    func signedResponse() async throws {
        var setup = try Setup()
        setup.request.responseMode = .jwt
        setup.metadata["authorization_response_iss_parameter_supported"] = nil
        setup.metadata["authorization_signing_alg_values_supported"] = "[\"PS256\"]"
        let transport = ScriptedTransport([Self.accepted])
        _ = try await setup.begin(transport)
        #expect(transport.requests.first?.formValue("response_mode") == "jwt")
    }
}
