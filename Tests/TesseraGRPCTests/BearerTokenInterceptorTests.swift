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

@Suite("gRPC calls with a session's token")
struct BearerTokenInterceptorTests {
    @Test("A unary call and a stream both ways have the token, and what stood there before has not")
    func calls() async throws {
        try await Self.run { world in
            let header = try await world.session.accessToken().authorization.withUnredacted { $0 }
            #expect(try await world.client.unary("hello", metadata: ["authorization": "Bearer other"]) == "hello")
            let messages = (0..<200).map { "message \($0)" }
            #expect(try await world.client.stream(messages) == messages)
            #expect(world.server.authorizations == [header, header])
        }
    }

    @Test("A hundred calls whose token is refused cost one token request, and none is lost", .covers(112))
    func burst() async throws {
        try await Self.run { world in
            world.network.invalidateAccessTokens()
            let answers = try await withThrowingTaskGroup(of: [String].self) { group in
                for number in 0..<100 {
                    group.addTask {
                        number.isMultiple(of: 2)
                            ? [try await world.client.unary("\(number)")]
                            : try await world.client.stream(["\(number)", "again"])
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(answers == Set((0..<100).map { $0.isMultiple(of: 2) ? ["\($0)"] : ["\($0)", "again"] }))
            #expect(world.network.refreshes.count == 1)
            #expect(Set(world.server.authorizations).count == 2)
        }
    }

    @Test("A token that has expired is renewed before the call")
    func expired() async throws {
        try await Self.run { world in
            world.network.clock.advance(by: .seconds(3_600))
            let answer = try await world.client.unary("hello")
            #expect(answer == "hello")
            #expect(world.server.authorizations.count == 1)
            #expect(world.network.refreshes.count == 1)
        }
    }

    @Test("A server that refuses every token is asked twice, and the session refreshes once for both", .covers(117))
    func stubbornServer() async throws {
        let nobody: GuardedServer.Gate = { _ in false }
        try await Self.run(letting: nobody) { world in
            let error = await #expect(throws: RPCError.self) { try await world.client.unary("hello") }
            #expect(error?.code == .unauthenticated)
            #expect(world.server.authorizations.count == 2)
            #expect(world.network.refreshes.count == 1)
            #expect(world.session.ended == nil)
        }
    }

    @Test("A token that served once after a refusal may be refused in its turn, and is replaced too", .covers(117))
    func refusedAgain() async throws {
        try await Self.run { world in
            for count in 1...3 {
                world.network.invalidateAccessTokens()
                // What was refreshed a moment ago is not refreshed again.
                world.network.clock.advance(by: .seconds(11))
                let answer = try await world.client.unary("\(count)")
                #expect(answer == "\(count)")
                #expect(world.network.refreshes.count == count)
            }
        }
    }

    @Test("A refused stream of more messages than gRPC keeps is not lost silently: it is whole, or refused")
    func longRefusedStream() async throws {
        try await Self.run { world in
            world.network.invalidateAccessTokens()
            let messages = (0..<2_000).map { "message \($0)" }
            do {
                let answers = try await world.client.stream(messages)
                #expect(answers == messages)
            } catch let error as RPCError {
                #expect(error.code == .unauthenticated)
            }
            let again = try await world.client.stream(messages)
            #expect(again == messages)
            #expect(world.network.refreshes.count == 1)
        }
    }

    @Test("Without a policy a refused call is made once; the next one has another token")
    func noPolicy() async throws {
        try await Self.run(policy: nil) { world in
            world.network.invalidateAccessTokens()
            let error = await #expect(throws: RPCError.self) { try await world.client.unary("hello") }
            #expect(error?.code == .unauthenticated)
            #expect(world.network.refreshes.count == 1)
            let answer = try await world.client.unary("hello")
            #expect(answer == "hello")
            #expect(world.network.refreshes.count == 1)
        }
    }

    @Test("An answer that has begun and ends as refused is not asked for again, and the source knows")
    func lateRefusal() async throws {
        try await Self.run { world in
            let secret = try await world.session.accessToken().secret.withUnredacted { $0 }
            let error = await #expect(throws: RPCError.self) {
                try await world.client.stream(["hello"], GuardedServer.Method.late)
            }
            #expect(error?.code == .unauthenticated)
            #expect(error.map { "\($0)".contains(secret) } == false)
            #expect(world.server.authorizations.count == 1)
            #expect(world.network.refreshes.count == 1)
        }
    }

    @Test("A token that a server repeats is in no error, neither its text nor its metadata", .covers(124))
    func repeatedToken() async throws {
        try await Self.run { world in
            let secret = try await world.session.accessToken().secret.withUnredacted { $0 }
            let error = try #require(
                await #expect(throws: RPCError.self) {
                    try await world.client.unary("hello", GuardedServer.Method.leak)
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
            #expect(world.network.refreshes.isEmpty)
        }
    }

    @Test("A session that has ended makes the call fail with its own error, before the server is asked")
    func endedSession() async throws {
        try await Self.run { world in
            world.network.revokeEverything()
            world.network.clock.advance(by: .seconds(3_600))
            let error = await #expect(throws: RPCError.self) { try await world.client.unary("hello") }
            #expect(error?.code == .unauthenticated)
            #expect((error?.cause as? any ErrorGuidance)?.endsSession == true)
            #expect(world.server.authorizations.isEmpty)
        }
    }

    @Test("A provider that cannot be reached makes the call unavailable: another try can help")
    func unreachableProvider() async throws {
        try await Self.run(policy: nil) { world in
            world.network.intercept("/token") { _ in throw TransportError(.cannotConnect, host: "id.example") }
            world.network.clock.advance(by: .seconds(3_600))
            let error = await #expect(throws: RPCError.self) { try await world.client.unary("hello") }
            #expect(error?.code == .unavailable)
            #expect((error?.cause as? any ErrorGuidance)?.isRetryable == true)
            #expect(world.server.authorizations.isEmpty)
        }
    }

    @Test(
        "An endpoint that is not authorized has no interceptor",
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
        "What is no origin is no endpoint",
        arguments: [
            "api.example", "https://api.example/v1", "http://api.example", "https://ada@api.example", "",
        ]
    )
    func noOrigin(endpoint: String) throws {
        let source = try FixedTokenSource(for: "https://api.example")
        #expect(throws: InvalidRequestError.self) { try BearerTokenInterceptor(source, endpoint: endpoint) }
    }

    @Test(
        "Without TLS the peer has to be this machine, whatever name the client was given",
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
        let answer: @Sendable () async throws -> Bool = {
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
            #expect(try await answer())
        } else {
            let error = await #expect(throws: RPCError.self) { try await answer() }
            #expect(error?.code == .permissionDenied)
            #expect(error?.cause is UnauthorizedOriginError)
        }
    }

    @Test("A token that is bound to a key has a proof for the method, with the nonce that the server gave")
    func boundToken() async throws {
        let source = try BoundSource()
        let interceptor = try BearerTokenInterceptor(source, endpoint: "https://api.example:8443")
        let demand: Metadata = ["www-authenticate": #"DPoP error="use_dpop_nonce""#, "dpop-nonce": "n1"]
        let first = try await Self.sent(by: interceptor, refusing: demand)
        #expect(source.refusals.withLock { $0 } == 0)
        let refusal: Metadata = ["www-authenticate": #"DPoP error="invalid_token""#]
        let second = try await Self.sent(by: interceptor, refusing: refusal)
        #expect(source.refusals.withLock { $0 } == 1)
        _ = try await Self.sent(by: interceptor, refusing: ["www-authenticate": #"DPoP error="insufficient_scope""#])
        #expect(source.refusals.withLock { $0 } == 1)
        #expect(first.authorization == "DPoP bound")
        #expect(first.claims["htm"]?.string == "POST")
        #expect(first.claims["htu"]?.string == "https://api.example:8443/tessera.tests.Guarded/Echo")
        #expect(first.claims["nonce"] == nil)
        #expect(second.claims["nonce"]?.string == "n1")
        #expect(first.claims["jti"] != second.claims["jti"])
    }

    /// The token and the verified proof of a call that the server refuses.
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

    /// A signed-in session, the server that its tokens are for, and a client of both.
    private struct World: Sendable {
        let network: ScriptedProvider
        let session: OAuthSession
        let server: GuardedServer
        let client: GuardedClient
    }

    /// The server lets in whom the provider's own API lets in, unless it is told otherwise.
    private static func run(
        policy: RPCExecutionPolicy? = .replayingRefusedCalls,
        letting gate: GuardedServer.Gate? = nil,
        _ body: @escaping @Sendable (World) async throws -> Void
    ) async throws {
        let network = try ScriptedProvider()
        let asked: GuardedServer.Gate = { authorization in
            var request = try HTTPRequest(url: "\(ScriptedProvider.api)/introspected")
            request.headerFields[.authorization] = authorization
            return try await network.send(request, body: nil).0.status == .ok
        }
        try await GuardedServer.run(letting: gate ?? asked) { server in
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
                try await body(World(network: network, session: session, server: server, client: client))
            }
        }
    }
}

/// Has one token, which is bound to a key, and counts its refusals.
private final class BoundSource: AccessTokenSource {
    let authorizedOrigins: [OriginPattern]
    let refusals = Mutex(0)
    private let token: AccessToken

    init() throws {
        self.authorizedOrigins = [try OriginPattern("https://api.example:8443")]
        let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]))
        self.token = AccessToken(Secret("bound"), dpop: DPoPProver(try .generate(), runtime: runtime), expiresAt: nil)
    }

    func accessToken() async throws -> AccessToken { self.token }

    func refused(_ token: AccessToken) async throws -> AccessToken {
        self.refusals.withLock { $0 += 1 }
        return token
    }
}
#endif
