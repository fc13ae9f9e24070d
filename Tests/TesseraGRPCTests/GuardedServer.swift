// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if GRPC
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import TesseraSupport

/// A gRPC server on loopback, which rejects calls with an invalid `authorization`.
final class GuardedServer: Sendable {
    /// Returns whether a call with this `authorization` is accepted.
    typealias Gate = @Sendable (String) async throws -> Bool

    /// The methods of the service.
    enum Method {
        /// Echoes each message.
        static let echo = descriptor("Echo")
        /// Fails with a status that repeats the token as text and as bytes.
        static let leak = descriptor("Leak")
        /// Begins a response, then rejects the call.
        static let late = descriptor("Late")

        private static func descriptor(_ name: String) -> MethodDescriptor {
            MethodDescriptor(fullyQualifiedService: "tessera.tests.Guarded", method: name)
        }
    }

    private let transport = HTTP2ServerTransport.Posix(
        address: .ipv4(host: "127.0.0.1", port: 0),
        transportSecurity: .plaintext
    )
    private let gate: Gate
    private let seen = Mutex<[String]>([])

    private init(_ gate: @escaping Gate) { self.gate = gate }

    /// Runs `body` with a server.
    static func run<Result: Sendable>(
        accepting gate: @escaping Gate,
        _ body: @escaping @Sendable (GuardedServer) async throws -> Result
    ) async throws -> Result {
        let server = GuardedServer(gate)
        return try await withGRPCServer(
            transport: server.transport,
            services: [Service()],
            interceptors: [Guard(server: server)]
        ) { _ in try await body(server) }
    }

    /// The `authorization` of each call, in order of arrival.
    var authorizations: [String] { self.seen.withLock { $0 } }

    /// The port of the server.
    var port: Int {
        get async throws { try await self.transport.listeningAddress.ipv4.map(\.port) ?? 0 }
    }

    /// The origin that a session must authorize.
    var endpoint: String { get async throws { "http://127.0.0.1:\(try await self.port)" } }

    private struct Guard: ServerInterceptor {
        let server: GuardedServer

        func intercept<Input: Sendable, Output: Sendable>(
            request: StreamingServerRequest<Input>,
            context: ServerContext,
            next:
                @concurrent @Sendable (StreamingServerRequest<Input>, ServerContext) async throws
                -> StreamingServerResponse<Output>
        ) async throws -> StreamingServerResponse<Output> {
            let authorization = request.metadata[stringValues: "authorization"].map(\.self).joined(separator: ", ")
            self.server.seen.withLock { $0.append(authorization) }
            guard try await self.server.gate(authorization) else {
                throw RPCError(code: .unauthenticated, message: "the token is stale")
            }
            return try await next(request, context)
        }
    }

    private struct Service: RegistrableRPCService {
        func registerMethods(with router: inout RPCRouter<some ServerTransport>) {
            Self.register(Method.echo, with: &router) { request in
                StreamingServerResponse { writer in
                    for try await message in request.messages { try await writer.write(message) }
                    return [:]
                }
            }
            Self.register(Method.leak, with: &router) { request in
                let token = Self.authorization(request)
                throw RPCError(
                    code: .permissionDenied,
                    message: "\(token) may not do that",
                    metadata: ["said": .string(token), "said-bin": .binary(Array(token.utf8)), "kept": "yes"]
                )
            }
            Self.register(Method.late, with: &router) { request in
                let token = Self.authorization(request)
                return StreamingServerResponse { writer in
                    try await writer.write("begun")
                    throw RPCError(code: .unauthenticated, message: "\(token) has ended")
                }
            }
        }

        private static func authorization(_ request: StreamingServerRequest<String>) -> String {
            request.metadata[stringValues: "authorization"].first { _ in true } ?? ""
        }

        private static func register(
            _ method: MethodDescriptor,
            with router: inout RPCRouter<some ServerTransport>,
            handler:
                @concurrent @escaping @Sendable (StreamingServerRequest<String>) async throws
                -> StreamingServerResponse<String>
        ) {
            router.registerHandler(forMethod: method, deserializer: TextCoding(), serializer: TextCoding()) {
                request,
                _ in try await handler(request)
            }
        }
    }
}
#endif
