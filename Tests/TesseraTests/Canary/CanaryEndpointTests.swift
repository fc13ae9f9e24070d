// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Secrets at the other endpoints")
struct CanaryEndpointTests {
    @Test("No token that is revoked or asked about is in anything that comes out", .covers(124))
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
                run.outputs.take(request)
                try await run.exercise("/revoke", swallows: 3) { try await client.send(request) }
            }
            let plain = IntrospectionRequest(token, at: introspection)
            run.outputs.take(plain)
            try await run.exercise("/introspect") { try await client.send(plain) }
            let signed = SignedIntrospectionRequest(token, at: introspection)
            run.outputs.take(signed)
            let keys = KeySetCache(try Endpoint("https://id.example/keys", name: "jwks_uri"), runtime: client.runtime)
            let policy = IntrospectionPolicy(
                issuer: client.metadata.issuer,
                clientID: ScriptedProvider.clientID,
                algorithms: [.es256]
            )
            try await run.exercise("/introspect") {
                let answer = try await client.send(signed)
                run.outputs.take(answer)
                return try await keys.validate(answer, policy: policy)
            }
        }
        run.expectTraces([("revocation", nil), ("introspection", nil)])
        run.expectNoSecret(["token", "client_secret", "signed answer"])
    }

    @Test("No secret of a registration is in anything that comes out", .covers(124))
    func registration() async throws {
        let run = try CanaryRun()
        try await run.outputs.watching {
            let client = try run.client()
            var metadata = ClientMetadata(clientName: "A program")
            metadata.softwareStatement = CanaryEndpoints.secret("statement")
            let initial = Secret(CanaryEndpoints.secret("initial"))
            run.outputs.take(metadata)
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
            run.outputs.take(registered.client)
            let stranger = RegisteredClient(
                OAuthClient(clientID: ""),
                metadata: client.metadata,
                runtime: client.runtime
            )
            for request in [
                try RegistrationRequest.read(registered), try RegistrationRequest.update(registered, to: metadata),
            ] {
                run.outputs.take(request)
                run.outputs.take(try request.message(for: client))
                try await run.exercise("/registration") { try await stranger.send(request) }
            }
            let deletion = try RegistrationDeletion(registered)
            run.outputs.take(deletion)
            try await run.exercise("/registration", swallows: 3) { try await stranger.send(deletion) }
            await Self.repeatsSecret(of: registered, run, stranger)
        }
        run.expectTraces([("registration", nil)])
        run.expectNoSecret([
            "authorization", "software_statement", "client_secret", "registration_access_token",
        ])
    }

    /// The server knows the client's secret also where it is not sent: in its words, and as a part of an address.
    private static func repeatsSecret(
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
            await run.outputs.take { try await client.send(try RegistrationRequest.read(registered)) }
            await run.outputs.take { try await client.send(try RegistrationDeletion(registered)) }
        }
    }

    @Test("Discovery, keys and the metadata of a resource leave their traces, and no secret in them", .covers(124))
    func documents() async throws {
        let run = try CanaryRun()
        try await run.outputs.watching {
            let runtime = try run.client().runtime
            try await run.exercise("/.well-known/openid-configuration", swallows: 99) {
                try await run.signIn().signIn(scopes: [.openID])
            }
            try await run.exercise("/keys", swallows: 99) { try await run.signIn().signIn(scopes: [.openID]) }
            let request = try ProtectedResourceMetadataRequest(of: "https://api.example/v1")
            try await run.exercise("/.well-known/oauth-protected-resource/v1", swallows: 3) {
                try await runtime.send(request)
            }
        }
        run.expectTraces([("discovery", nil), ("keys", nil), ("resource_metadata", nil)])
        run.expectNoSecret(["code", "access_token", "id_token"])
    }
}
