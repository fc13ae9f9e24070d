// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TestTransport
internal import TesseraJOSE
internal import TesseraOAuth

/// A client of a provider from elsewhere, as that provider's script registered it.
struct ProviderClient: Sendable, Decodable {
    var clientId: String
    var clientSecret: String?
    var keyFile: String?

    var oauthClient: OAuthClient {
        get throws {
            OAuthClient(
                clientID: self.clientId,
                clientSecret: self.clientSecret.map { Secret($0) },
                assertionKey: try self.keyFile.map { file in
                    try JWSSigningKey(pem: String(contentsOfFile: file, encoding: .utf8))
                }
            )
        }
    }
}

/// A program at a provider: its sign-in, and the protocol's own requests beside it.
struct ProviderProgram: Sendable {
    static let transport = TestTransport.make()

    let signIn: SignIn
    let store = InMemoryStore()
    /// The client, for requests that the sign-in does not make itself.
    let client: RegisteredClient

    init(_ provider: Provider, userAgent: any UserAgent) async throws {
        var provider = provider
        let metadata =
            if let metadata = provider.metadata { metadata } else {
                try await Self.metadata(.openIDConnect, of: provider.issuer)
            }
        provider.metadata = metadata
        self.signIn = SignIn(provider, transport: Self.transport, store: self.store, userAgent: userAgent)
        self.client = RegisteredClient(
            provider.client,
            metadata: metadata,
            runtime: OAuthRuntime(transport: Self.transport),
            insecure: .loopbackHTTP
        )
    }

    static func metadata(_ document: MetadataRequest.Document, of issuer: Issuer) async throws -> ServerMetadata {
        let request = MetadataRequest(document, of: issuer, insecure: .loopbackHTTP)
        let (response, body) = try await OAuthRuntime(transport: Self.transport).exchange(request.message())
        return try request.metadata(status: Int(response.status.code), body: body)
    }

    /// What the provider itself says about a token.
    func introspect(_ token: Secret) async throws -> Introspection {
        let endpoint = try self.client.endpoint(\.introspectionEndpoint, "introspection_endpoint")
        return try await self.client.send(IntrospectionRequest(token, at: endpoint))
    }
}

extension OAuthSession {
    /// The refresh token in hand.
    var refreshToken: Secret? { self.record.tokens?.refreshToken }
}
