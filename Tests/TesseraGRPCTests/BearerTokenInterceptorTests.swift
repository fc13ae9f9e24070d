// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if GRPC
internal import GRPCCore
internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraGRPC
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Bearer token interceptor for gRPC")
struct BearerTokenInterceptorTests {
    @Test("Adds the token to unary and streaming calls, and replaces other credentials")
    func calls() async throws {
        try await Self.run { environment in
            let header = try await environment.session.accessToken().authorization.withUnredacted { $0 }
            #expect(try await environment.client.unary("hello", metadata: ["authorization": "Bearer other"]) == "hello")
            let messages = (0..<200).map { "message \($0)" }
            #expect(try await environment.client.stream(messages) == messages)
            #expect(environment.server.authorizations == [header, header])
        }
    }

    @Test("Refreshes once for 100 concurrent gRPC calls whose token is rejected", .covers(112))
    func burst() async throws {
        try await Self.run { environment in
            environment.network.invalidateAccessTokens()
            let responses = try await withThrowingTaskGroup(of: [String].self) { group in
                for number in 0..<100 {
                    group.addTask {
                        number.isMultiple(of: 2)
                            ? [try await environment.client.unary("\(number)")]
                            : try await environment.client.stream(["\(number)", "again"])
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(responses == Set((0..<100).map { $0.isMultiple(of: 2) ? ["\($0)"] : ["\($0)", "again"] }))
            #expect(environment.network.refreshes.count == 1)
            #expect(Set(environment.server.authorizations).count == 2)
        }
    }

    @Test("Refreshes an expired token before the gRPC call")
    func expired() async throws {
        try await Self.run { environment in
            environment.network.clock.advance(by: .seconds(3_600))
            let response = try await environment.client.unary("hello")
            #expect(response == "hello")
            #expect(environment.server.authorizations.count == 1)
            #expect(environment.network.refreshes.count == 1)
        }
    }

    @Test("Retries once if the server rejects every token, and refreshes the session once", .covers(117))
    func stubbornServer() async throws {
        let rejectsAll: GuardedServer.Gate = { _ in false }
        try await Self.run(accepting: rejectsAll) { environment in
            let error = await #expect(throws: RPCError.self) { try await environment.client.unary("hello") }
            #expect(error?.code == .unauthenticated)
            #expect(environment.server.authorizations.count == 2)
            #expect(environment.network.refreshes.count == 1)
            #expect(environment.session.ended == nil)
        }
    }

    @Test("Replaces a token that is rejected after a successful call", .covers(117))
    func refusedAgain() async throws {
        try await Self.run { environment in
            for count in 1...3 {
                environment.network.invalidateAccessTokens()
                // A token is not replaced within 10 seconds of a refresh.
                environment.network.clock.advance(by: .seconds(11))
                let response = try await environment.client.unary("\(count)")
                #expect(response == "\(count)")
                #expect(environment.network.refreshes.count == count)
            }
        }
    }

    @Test("Replays a long rejected stream in full, or reports the rejection")
    func longRefusedStream() async throws {
        try await Self.run { environment in
            environment.network.invalidateAccessTokens()
            let messages = (0..<2_000).map { "message \($0)" }
            do {
                let responses = try await environment.client.stream(messages)
                #expect(responses == messages)
            } catch let error as RPCError {
                #expect(error.code == .unauthenticated)
            }
            let again = try await environment.client.stream(messages)
            #expect(again == messages)
            #expect(environment.network.refreshes.count == 1)
        }
    }

    @Test("Does not retry a rejected call without a policy, but replaces the token")
    func noPolicy() async throws {
        try await Self.run(policy: nil) { environment in
            environment.network.invalidateAccessTokens()
            let error = await #expect(throws: RPCError.self) { try await environment.client.unary("hello") }
            #expect(error?.code == .unauthenticated)
            #expect(environment.network.refreshes.count == 1)
            let response = try await environment.client.unary("hello")
            #expect(response == "hello")
            #expect(environment.network.refreshes.count == 1)
        }
    }

    @Test("Does not retry a call that is rejected after its response has begun")
    func lateRefusal() async throws {
        try await Self.run { environment in
            let secret = try await environment.session.accessToken().secret.withUnredacted { $0 }
            let error = await #expect(throws: RPCError.self) {
                try await environment.client.stream(["hello"], GuardedServer.Method.late)
            }
            #expect(error?.code == .unauthenticated)
            #expect(error.map { "\($0)".contains(secret) } == false)
            #expect(environment.server.authorizations.count == 1)
            #expect(environment.network.refreshes.count == 1)
        }
    }

    @Test("Redacts a token that the server repeats in an error's message or metadata", .covers(124))
    func repeatedToken() async throws {
        try await Self.run { environment in
            let secret = try await environment.session.accessToken().secret.withUnredacted { $0 }
            let error = try #require(
                await #expect(throws: RPCError.self) {
                    try await environment.client.unary("hello", GuardedServer.Method.leak)
                }
            )
            #expect(error.code == .permissionDenied)
            #expect(error.message == "Bearer <redacted> may not do that")
            #expect(error.metadata[stringValues: "kept"].contains("yes"))
            #expect(error.metadata[stringValues: "said"].contains("Bearer <redacted>"))
            #expect(!error.metadata.contains { $0.key == "said-bin" })
            var dumped = ""
            dump(error, to: &dumped)
            #expect(!dumped.contains(secret))
            #expect(environment.network.refreshes.isEmpty)
        }
    }

    @Test("Fails with the session's error before the call if the session has ended")
    func endedSession() async throws {
        try await Self.run { environment in
            environment.network.revokeEverything()
            environment.network.clock.advance(by: .seconds(3_600))
            let error = await #expect(throws: RPCError.self) { try await environment.client.unary("hello") }
            #expect(error?.code == .unauthenticated)
            #expect((error?.cause as? any ErrorGuidance)?.endsSession == true)
            #expect(environment.server.authorizations.isEmpty)
        }
    }

    @Test("Reports an unreachable provider as unavailable, with a retryable cause")
    func unreachableProvider() async throws {
        try await Self.run(policy: nil) { environment in
            environment.network.intercept("/token") { _ in throw TransportError(.cannotConnect, host: "id.example") }
            environment.network.clock.advance(by: .seconds(3_600))
            let error = await #expect(throws: RPCError.self) { try await environment.client.unary("hello") }
            #expect(error?.code == .unavailable)
            #expect((error?.cause as? any ErrorGuidance)?.isRetryable == true)
            #expect(environment.server.authorizations.isEmpty)
        }
    }

    @Test(
        "Rejects an endpoint outside the authorized origins",
        .covers(120),
        arguments: [
            "https://other.example", "https://id.example.evil.example", "https://api.example:8443",
            "http://127.0.0.1:9",
        ]
    )
    func foreignEndpoint(endpoint: String) throws {
        let source = try FixedTokenSource(for: "https://api.example")
        #expect(throws: UnauthorizedOriginError.self) { try BearerTokenInterceptor(source, endpoint: endpoint) }
    }

    @Test(
        "Rejects an endpoint that is not an origin",
        arguments: [
            "api.example", "https://api.example/v1", "http://api.example", "https://ada@api.example", "",
        ]
    )
    func noOrigin(endpoint: String) throws {
        let source = try FixedTokenSource(for: "https://api.example")
        #expect(throws: InvalidRequestError.self) { try BearerTokenInterceptor(source, endpoint: endpoint) }
    }

    @Test(
        "Allows plaintext only to a peer on this machine",
        .covers(120),
        arguments: [
            ("ipv4:127.0.0.1:8080", true), ("ipv6:[::1]:8080", true), ("unix:/run/a.sock", true),
            ("in-process:1", true),
            ("ipv4:192.0.2.1:8080", false), ("ipv6:[2001:db8::1]:8080", false), ("dns:127.0.0.1:8080", false),
            ("", false),
        ]
    )
    func peer(peer: String, isThisMachine: Bool) async throws {
        let source = try FixedTokenSource("fixed", for: "http://127.0.0.1:8080")
        let interceptor = try BearerTokenInterceptor(source, endpoint: "http://127.0.0.1:8080")
        let context = ClientContext(descriptor: GuardedServer.Method.echo, remotePeer: peer, localPeer: "ipv4:")
        let request = StreamingClientRequest<String> { _ in }
        let isAuthorized: @Sendable () async throws -> Bool = {
            try await interceptor.intercept(request: request, context: context) { request, _ in
                StreamingClientResponse(
                    of: String.self,
                    metadata: request.metadata,
                    bodyParts: RPCAsyncSequence(wrapping: AsyncThrowingStream { $0.finish() })
                )
            }
            .metadata[stringValues: "authorization"].contains("Bearer fixed")
        }
        if isThisMachine {
            #expect(try await isAuthorized())
        } else {
            let error = await #expect(throws: RPCError.self) { try await isAuthorized() }
            #expect(error?.code == .permissionDenied)
            #expect(error?.cause is UnauthorizedOriginError)
        }
    }

    @Test("Sends a DPoP proof for the gRPC method, with the nonce of the server")
    func boundToken() async throws {
        let source = try BoundSource()
        let interceptor = try BearerTokenInterceptor(source, endpoint: "https://api.example:8443")
        let demand: Metadata = ["www-authenticate": #"DPoP error="use_dpop_nonce""#, "dpop-nonce": "n1"]
        let first = try await Self.sent(by: interceptor, refusing: demand)
        #expect(source.rejectionCount.withLock { $0 } == 0)
        let refusal: Metadata = ["www-authenticate": #"DPoP error="invalid_token""#]
        let second = try await Self.sent(by: interceptor, refusing: refusal)
        #expect(source.rejectionCount.withLock { $0 } == 1)
        _ = try await Self.sent(by: interceptor, refusing: ["www-authenticate": #"DPoP error="insufficient_scope""#])
        #expect(source.rejectionCount.withLock { $0 } == 1)
        #expect(first.authorization == "DPoP bound")
        #expect(first.claims["htm"]?.string == "POST")
        #expect(first.claims["htu"]?.string == "https://api.example:8443/tessera.tests.Guarded/Echo")
        #expect(first.claims["nonce"] == nil)
        #expect(second.claims["nonce"]?.string == "n1")
        #expect(first.claims["jti"] != second.claims["jti"])
    }

    /// Returns the token and the verified proof of a call that the server rejects.
    private static func sent(
        by interceptor: BearerTokenInterceptor,
        refusing metadata: Metadata
    ) async throws -> (authorization: String, claims: JSONValue) {
        let sent = Mutex(Metadata())
        let context = ClientContext(descriptor: GuardedServer.Method.echo, remotePeer: "ipv4:", localPeer: "ipv4:")
        let response = try await interceptor.intercept(
            request: StreamingClientRequest<String> { _ in },
            context: context
        ) { request, _ in
            sent.withLock { $0 = request.metadata }
            return StreamingClientResponse(
                of: String.self,
                error: RPCError(code: .unauthenticated, message: "refused", metadata: metadata)
            )
        }
        #expect(throws: RPCError.self) { try response.accepted.get() }
        let authorization = sent.withLock { Array($0[stringValues: "authorization"]) }
        let proof = try CompactJWS(parsing: sent.withLock { Array($0[stringValues: "dpop"]) }.joined())
        try proof.verify(with: JWK(parsing: try #require(proof.header.fields["jwk"])))
        return (authorization.joined(), try proof.claims())
    }

    /// A signed-in session, a server that accepts its tokens, and a client.
    private struct TestEnvironment: Sendable {
        let network: ScriptedProvider
        let session: OAuthSession
        let server: GuardedServer
        let client: GuardedClient
    }

    /// Runs `body` with a server that, by default, accepts the tokens that the provider accepts.
    private static func run(
        policy: RPCExecutionPolicy? = .replayingRejectedCalls,
        accepting gate: GuardedServer.Gate? = nil,
        _ body: @escaping @Sendable (TestEnvironment) async throws -> Void
    ) async throws {
        let network = try ScriptedProvider()
        let providerGate: GuardedServer.Gate = { authorization in
            var request = try HTTPRequest(url: "\(ScriptedProvider.api)/introspected")
            request.headerFields[.authorization] = authorization
            return try await network.send(request, body: nil).0.status == .ok
        }
        try await GuardedServer.run(accepting: gate ?? providerGate) { server in
            let signIn = SignIn(
                try network.provider,
                runtime: network.runtime,
                store: InMemoryStore(),
                userAgent: network.userAgent()
            )
            let origin = try OriginPattern(try await server.endpoint)
            let options = SignInOptions(authorizedOrigins: [origin])
            let session = try await signIn.signIn(scopes: [.openID], options: options)
            try await GuardedClient.run(of: server, session, policy: policy) { client in
                try await body(TestEnvironment(network: network, session: session, server: server, client: client))
            }
        }
    }
}

/// A token source with one DPoP-bound token, which counts rejections.
private final class BoundSource: AccessTokenSource {
    let authorizedOrigins: [OriginPattern]
    let rejectionCount = Mutex(0)
    private let token: AccessToken

    init() throws {
        self.authorizedOrigins = [try OriginPattern("https://api.example:8443")]
        let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]))
        self.token = AccessToken(Secret("bound"), dpop: DPoPProver(try .generate(), runtime: runtime), expiresAt: nil)
    }

    func accessToken() async throws -> AccessToken { self.token }

    func replacement(forRejected token: AccessToken) async throws -> AccessToken {
        self.rejectionCount.withLock { $0 += 1 }
        return token
    }
}
#endif
