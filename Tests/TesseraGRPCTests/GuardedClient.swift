// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if GRPC
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import Tessera
internal import TesseraGRPC

/// A gRPC client of a guarded server.
struct GuardedClient: Sendable {
    private let client: GRPCClient<HTTP2ClientTransport.Posix>

    /// Runs `body` with a client that authorizes its calls with the tokens of a source.
    static func run<Result: Sendable>(
        of server: GuardedServer,
        _ source: any AccessTokenSource,
        policy: RPCExecutionPolicy? = .replayingRejectedCalls,
        _ body: @escaping @Sendable (GuardedClient) async throws -> Result
    ) async throws -> Result {
        let everything = MethodConfig(names: [MethodConfig.Name(service: "")], executionPolicy: policy)
        let transport = try HTTP2ClientTransport.Posix(
            target: .ipv4(address: "127.0.0.1", port: try await server.port),
            transportSecurity: .plaintext,
            serviceConfig: ServiceConfig(methodConfig: [everything])
        )
        let interceptor = try BearerTokenInterceptor(source, endpoint: try await server.endpoint)
        return try await withGRPCClient(transport: transport, interceptors: [interceptor]) { client in
            try await body(GuardedClient(client: client))
        }
    }

    /// Sends one message and returns the response.
    func unary(
        _ message: String,
        _ method: MethodDescriptor = GuardedServer.Method.echo,
        metadata: Metadata = [:]
    ) async throws -> String {
        try await self.client.unary(
            request: ClientRequest(message: message, metadata: metadata),
            descriptor: method,
            serializer: TextCoding(),
            deserializer: TextCoding(),
            options: .defaults
        ) { try $0.message }
    }

    /// Sends messages and returns the messages of the response.
    func stream(
        _ messages: [String],
        _ method: MethodDescriptor = GuardedServer.Method.echo
    ) async throws -> [String] {
        try await self.client.bidirectionalStreaming(
            request: StreamingClientRequest { try await $0.write(contentsOf: messages) },
            descriptor: method,
            serializer: TextCoding(),
            deserializer: TextCoding(),
            options: .defaults
        ) { response in
            var responses: [String] = []
            for try await message in response.messages { responses.append(message) }
            return responses
        }
    }
}
#endif
