// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Foundation
internal import HTTPTypes
internal import Testing
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraOAuth

@Suite("Cloud endpoints of a running local provider")
struct CloudProviderTests {
    private static func withProvider(
        _ body: (LocalProvider, LiveClient) async throws -> Void
    ) async throws {
        try await LocalProviderTests.withProvider(try CloudUnderTest.options { $0.now = { Date() } }, body)
    }

    /// Sends a form to a host of Google through the provider's socket.
    private static func post(
        _ client: LiveClient,
        _ host: String,
        _ path: String,
        _ pairs: [(String, String)]
    ) async throws -> LiveClient.Response {
        let fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        return try await client.send(.post, path, host: host, fields, body: LiveClient.form(pairs))
    }

    @Test("Issues a token for its own key file to a client that reroutes requests")
    func keyFile() async throws {
        try await Self.withProvider { provider, client in
            let file = try JSONValue(parsing: try #require(provider.serviceAccountKeyFile()))
            #expect(file["type"]?.string == "service_account")
            #expect(file["token_uri"]?.string == provider.baseURL + "/cloud/oauth2.googleapis.com/token")
            let key = try JWSSigningKey(pem: try #require(file["private_key"]?.string))
            let now = Int64(Date().timeIntervalSince1970)
            let claims = JSONNode.object([
                JSONMember(name: "iss", value: .string(try #require(file["client_email"]?.string))),
                JSONMember(name: "aud", value: .string(try #require(file["token_uri"]?.string))),
                JSONMember(name: "iat", value: .integer(now)), JSONMember(name: "exp", value: .integer(now + 600)),
                JSONMember(name: "scope", value: .string(CloudUnderTest.scope)),
            ])
            let pairs = [
                ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                ("assertion", try key.sign(payload: claims.serialized())),
            ]
            let response = try await Self.post(client, "oauth2.googleapis.com", "/token", pairs)
            #expect(response.status == .ok)
            #expect(try await client.post("/cloud/oauth2.googleapis.com/token", pairs).status == .ok)

            #expect(provider.cloudRequests.map(\.host) == ["oauth2.googleapis.com", "oauth2.googleapis.com"])
            #expect(provider.cloudRequests.map(\.target) == ["/token", "/token"])
            #expect(provider.cloudRequests.first?.body == Array(LiveClient.form(pairs).utf8))
            provider.removeCloudRequests()
            #expect(provider.cloudRequests.isEmpty)
            #expect(provider.serviceAccountKeyFile(for: "nobody@example.com") == nil)
            #expect(provider.metadataHost == "127.0.0.1:\(provider.port)")
            #expect(provider.serviceAccounts.map(\.email) == LocalServiceAccount.samples.map(\.email))
        }
    }

    @Test("Refreshes the token of its authorized_user file")
    func authorizedUser() async throws {
        try await Self.withProvider { provider, client in
            let file = try JSONValue(parsing: try #require(provider.authorizedUserFile))
            let members = ["client_id", "client_secret", "refresh_token"]
            let pairs = members.map { ($0, file[$0]?.string ?? "") } + [("grant_type", "refresh_token")]
            #expect(try await Self.post(client, "oauth2.googleapis.com", "/token", pairs).status == .ok)
        }
    }

    @Test("Signs assertions of Identity-Aware Proxy with the published key")
    func proxy() async throws {
        try await Self.withProvider { provider, client in
            let audience = "/projects/1/apps/app"
            let account = LocalProviderAccount.samples[1]
            let text = try provider.identityAwareProxyAssertion(audience: audience, account: account)
            let path = "/iap/verify/public_key-jwk"
            let keys = try await client.send(.get, path, host: "www.gstatic.com")
            let token = try CompactJWS(parsing: text)
            try token.verify(with: try JWKSet(parsing: keys.bytes), algorithms: [.es256])
            #expect(try token.claims()["aud"]?.string == audience)
            #expect(try token.claims()["hd"]?.string == "tessera.example")
        }
    }

    @Test("Breaks the connection for faults without a complete response")
    func faults() async throws {
        try await Self.withProvider { provider, client in
            let fields: HTTPFields = [try #require(HTTPField.Name("Metadata-Flavor")): "Google"]
            let path = "/computeMetadata/v1/project/project-id"
            provider.change { $0.cloudFaults[.metadata] = [.truncatedResponse, .lostResponse] }
            for _ in 0..<2 {
                await #expect(throws: TransportError.self) {
                    try await client.send(.get, path, host: "metadata.google.internal", fields)
                }
            }
            let response = try await client.send(.get, path, host: "metadata.google.internal", fields)
            #expect(response.text == "tessera-local-provider")
        }
    }
}
#endif
