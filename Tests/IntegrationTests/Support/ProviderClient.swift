// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TestTransport
internal import TesseraJOSE
internal import TesseraOAuth

/// A client that the script of a third-party provider registered.
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

/// A client program of a provider, with its sign-in and other protocol requests.
struct ProviderProgram: Sendable {
    static let transport = TestTransport.make()

    let signIn: SignIn
    let store = InMemoryStore()
    /// The client for requests that the sign-in does not make.
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

    /// Returns the provider's introspection of a token.
    func introspect(_ token: Secret) async throws -> Introspection {
        let endpoint = try self.client.endpoint(\.introspectionEndpoint, "introspection_endpoint")
        return try await self.client.send(IntrospectionRequest(token, at: endpoint))
    }
}

extension OAuthSession {
    /// The current refresh token.
    var refreshToken: Secret? { self.record.tokens?.refreshToken }
}
