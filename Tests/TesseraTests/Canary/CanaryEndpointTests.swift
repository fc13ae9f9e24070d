// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Secret redaction at other endpoints")
struct CanaryEndpointTests {
    @Test("Leaks no token during revocation and introspection", .covers(124))
    func tokens() async throws {
        let run = try CanaryRun()
        let token = Secret(CanaryEndpoints.secret("token"))
        try await run.outputs.watching {
            let client = try run.client()
            let revocation = try Endpoint("https://id.example/revoke", name: "revocation_endpoint")
            let introspection = try Endpoint("https://id.example/introspect", name: "introspection_endpoint")
            for request in [
                RevocationRequest.refreshToken(token, at: revocation), .accessToken(token, at: revocation),
            ] {
                run.outputs.record(request)
                try await run.exercise("/revoke", toleratedFaults: 3) { try await client.send(request) }
            }
            let plain = IntrospectionRequest(token, at: introspection)
            run.outputs.record(plain)
            try await run.exercise("/introspect") { try await client.send(plain) }
            let signed = SignedIntrospectionRequest(token, at: introspection)
            run.outputs.record(signed)
            let keys = KeySetCache(try Endpoint("https://id.example/keys", name: "jwks_uri"), runtime: client.runtime)
            let policy = IntrospectionPolicy(
                issuer: client.metadata.issuer,
                clientID: ScriptedProvider.clientID,
                algorithms: [.es256]
            )
            try await run.exercise("/introspect") {
                let response = try await client.send(signed)
                run.outputs.record(response)
                return try await keys.validate(response, policy: policy)
            }
        }
        run.expectTraces([("revocation", nil), ("introspection", nil)])
        run.expectNoSecret(["token", "client_secret", "signed response"])
    }

    @Test("Leaks no secret during client registration and management", .covers(124))
    func registration() async throws {
        let run = try CanaryRun()
        try await run.outputs.watching {
            let client = try run.client()
            var metadata = ClientMetadata(clientName: "A program")
            metadata.softwareStatement = CanaryEndpoints.secret("statement")
            let initial = Secret(CanaryEndpoints.secret("initial"))
            run.outputs.record(metadata)
            func registration() async throws -> ClientRegistration {
                try await RegisteredClient.register(
                    metadata,
                    at: client.metadata,
                    initialAccessToken: initial,
                    runtime: client.runtime
                )
            }
            try await run.exercise("/register", registration)
            let registered = try await registration()
            run.outputs.record(registered.client)
            let publicClient = RegisteredClient(
                OAuthClient(clientID: ""),
                metadata: client.metadata,
                runtime: client.runtime
            )
            for request in [
                try RegistrationRequest.read(registered), try RegistrationRequest.update(registered, to: metadata),
            ] {
                run.outputs.record(request)
                run.outputs.record(try request.message(for: client))
                try await run.exercise("/registration") { try await publicClient.send(request) }
            }
            let deletion = try RegistrationDeletion(registered)
            run.outputs.record(deletion)
            try await run.exercise("/registration", toleratedFaults: 3) { try await publicClient.send(deletion) }
            await Self.repeatSecrets(of: registered, run, publicClient)
        }
        run.expectTraces([("registration", nil)])
        run.expectNoSecret([
            "authorization", "software_statement", "client_secret", "registration_access_token",
        ])
    }

    /// Lets the server repeat the client's secrets in error descriptions and URLs.
    private static func repeatSecrets(
        of registered: ClientRegistration,
        _ run: CanaryRun,
        _ client: RegisteredClient
    ) async {
        let texts = [registered.clientSecret, registered.registrationAccessToken]
            .map { $0?.withUnredacted { $0 } ?? "" }
        let text = texts.joined(separator: " ")
        let next = CanaryEndpoints.secret("next-registration")
        run.canaries.add("registration_access_token", next)
        for body in [
            #"{"error": "x", "error_description": "not \#(text)"}"#,
            #"{"client_id": "registered", "registration_access_token": "\#(next)", "#
                + #""registration_client_uri": "https://elsewhere.example#\#(next)"}"#,
        ] {
            run.network.intercept("/registration") { _ in
                .json(body, status: body.contains("error") ? .badRequest : .ok)
            }
            await run.outputs.record { try await client.send(try RegistrationRequest.read(registered)) }
            await run.outputs.record { try await client.send(try RegistrationDeletion(registered)) }
        }
    }

    @Test("Traces requests for discovery, keys and resource metadata without leaking secrets", .covers(124))
    func documents() async throws {
        let run = try CanaryRun()
        try await run.outputs.watching {
            let runtime = try run.client().runtime
            try await run.exercise("/.well-known/openid-configuration", toleratedFaults: 99) {
                try await run.signIn().signIn(scopes: [.openID])
            }
            try await run.exercise("/keys", toleratedFaults: 99) { try await run.signIn().signIn(scopes: [.openID]) }
            let request = try ProtectedResourceMetadataRequest(of: "https://api.example/v1")
            try await run.exercise("/.well-known/oauth-protected-resource/v1", toleratedFaults: 3) {
                try await runtime.send(request)
            }
        }
        run.expectTraces([("discovery", nil), ("keys", nil), ("resource_metadata", nil)])
        run.expectNoSecret(["code", "access_token", "id_token"])
    }
}
