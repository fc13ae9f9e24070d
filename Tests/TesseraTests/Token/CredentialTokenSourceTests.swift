// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Credential token sources")
struct CredentialTokenSourceTests {
    /// A token source, its clock, and a token endpoint that numbers its tokens.
    private struct TestEnvironment {
        let clock = TestClock()
        let network: ScriptedTransport
        let source: CredentialTokenSource

        init(
            script: ScriptedTransport.Script? = nil,
            make: (Provider, OAuthRuntime) throws -> CredentialTokenSource = TestEnvironment.clientCredentials
        ) throws {
            self.network = ScriptedTransport(script ?? Self.numberedTokens())
            let metadata = try ServerMetadata([
                ("issuer", "https://id.example"), ("token_endpoint", "https://id.example/token"),
            ])
            let provider = Provider(
                issuer: metadata.issuer,
                metadata: metadata,
                client: OAuthClient(clientID: "robot", clientSecret: Secret("secret")),
                authorizedOrigins: [try OriginPattern("https://api.example")]
            )
            self.source = try make(provider, .testing(transport: self.network, clock: self.clock))
        }

        /// Returns a token endpoint that numbers its tokens, and calls `prepare` with each number first.
        static func numberedTokens(
            _ prepare: @escaping @Sendable (Int) async -> Void = { _ in }
        ) -> ScriptedTransport.Script {
            let count = Mutex(0)
            return { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                await prepare(number)
                return .json(#"{"access_token":"token-\#(number)","token_type":"Bearer","expires_in":3600}"#)
            }
        }

        static func clientCredentials(_ provider: Provider, _ runtime: OAuthRuntime) -> CredentialTokenSource {
            .clientCredentials(provider, scopes: ["a"], resources: ["https://api.example"], runtime: runtime)
        }

        var grants: [String?] { self.network.requests.map { $0.formValue("grant_type") } }
    }

    @Test("Requests client credentials once for all callers while the token is valid", .covers(87))
    func concurrentCallers() async throws {
        let environment = try TestEnvironment()
        let texts = await ConcurrentTasks.results(100) { try await environment.source.accessToken().text }
        #expect(try texts.common() == "token-1")
        environment.clock.advance(by: .seconds(3_000))
        #expect(try await environment.source.accessToken().text == "token-1")
        #expect(environment.grants == ["client_credentials"])
        #expect(environment.network.requests[0].formValue("scope") == "a")
        #expect(environment.network.requests[0].formValue("resource") == "https://api.example")
        #expect(environment.source.authorizedOrigins == [try OriginPattern("https://api.example")])
    }

    @Test("Does not extend a token when the clock is set back before the response arrives", .covers(118))
    func setBackBeforeResponse() async throws {
        let gate = Gate()
        let environment = try TestEnvironment(
            script: TestEnvironment.numberedTokens { number in if number == 1 { await gate.pass() } }
        )
        let caller = Task { try await environment.source.accessToken().text }
        await gate.waitForArrival()
        environment.clock.advance(by: .seconds(20))
        environment.clock.setWallClock(to: environment.clock.date - 20)
        gate.open()
        #expect(try await caller.value == "token-1")
        environment.clock.advance(by: .seconds(3_585))
        #expect(try await environment.source.accessToken().text == "token-2")
    }

    @Test("Renews an expired token, and renews an expiring token in the background")
    func renewal() async throws {
        let arrived = Gate()
        let environment = try TestEnvironment(
            script: TestEnvironment.numberedTokens { number in if number == 2 { await arrived.pass() } }
        )
        #expect(try await environment.source.accessToken().text == "token-1")
        environment.clock.advance(by: .seconds(3_545))
        #expect(try await environment.source.accessToken().text == "token-1")
        await arrived.waitForArrival()
        #expect(try await environment.source.accessToken().text == "token-1")
        arrived.open()
        environment.clock.advance(by: .seconds(50))
        #expect(try await environment.source.accessToken().text == "token-2")
        environment.clock.advance(by: .seconds(3_600))
        #expect(try await environment.source.accessToken().text == "token-3")
        #expect(environment.network.requests.count == 3)
    }

    @Test("Replaces a rejected token once, and a replacement only after 10 seconds")
    func refusal() async throws {
        let environment = try TestEnvironment()
        let first = try await environment.source.accessToken()
        let second = try await environment.source.replacement(forRejected: first)
        #expect(second.text == "token-2")
        #expect(try await environment.source.replacement(forRejected: first) == second)
        #expect(try await environment.source.replacement(forRejected: second) == second)
        #expect(environment.network.requests.count == 2)
        environment.clock.advance(by: .seconds(10))
        #expect(try await environment.source.replacement(forRejected: second).text == "token-3")
        #expect(try await environment.source.accessToken().text == "token-3")
        #expect(environment.network.requests.count == 3)
    }

    @Test("Reports a failure and retries at the next call")
    func failure() async throws {
        let isBroken = Mutex(true)
        let environment = try TestEnvironment(script: { _ in
            if isBroken.withLock({ $0 }) { return .json(#"{"error":"invalid_scope"}"#, status: .badRequest) }
            return .json(#"{"access_token":"token","token_type":"Bearer"}"#)
        })
        await #expect { try await environment.source.accessToken() } throws: { OAuthError.Code.invalidScope ~= $0 }
        isBroken.withLock { $0 = false }
        #expect(try await environment.source.accessToken().text == "token")
    }

    @Test("Sends a new JWT bearer assertion and no client ID in each request", .covers(65))
    func jwtBearer() async throws {
        let key = try JWSSigningKey.generate(.es256)
        let environment = try TestEnvironment(make: { provider, runtime in
            .jwtBearer(
                provider,
                assertion: TokenAssertion(
                    issuer: "robot@example",
                    subject: nil,
                    audience: "https://id.example/token",
                    scopes: ["a"]
                ),
                signedBy: key,
                runtime: runtime
            )
        })
        let first = try await environment.source.accessToken()
        environment.clock.advance(by: .seconds(60))
        _ = try await environment.source.replacement(forRejected: first)
        let claims = try environment.network.requests.map { request in
            #expect(request.form.map(\.name) == ["grant_type", "assertion"])
            #expect(request.head.headerFields[.authorization] == nil)
            return try CompactJWS(parsing: try #require(request.formValue("assertion"))).claims()
        }
        #expect(claims.count == 2)
        #expect(claims[0]["jti"]?.string != claims[1]["jti"]?.string)
        #expect(try claims[1]["iat"]?.integer(Int64.self) == 1_700_000_060)
        #expect(claims[0]["scope"]?.string == "a")
        #expect(claims[0]["sub"] == nil)
    }

    @Test("Rejects an exchanged token that is not an access token")
    func exchange() async throws {
        let response =
            #"{"access_token":"t","token_type":"N_A","issued_token_type":"urn:ietf:params:oauth:token-type:jwt"}"#
        let environment = try TestEnvironment(
            script: { _ in .json(response) },
            make: { provider, runtime in
                CredentialTokenSource(provider, runtime: runtime) { _ in
                    .tokenExchange(subject: SecurityToken(Secret("s"), type: .jwt), requestedType: .jwt)
                }
            }
        )
        await #expect { try await environment.source.accessToken() } throws: {
            ProtocolViolationError.Rule.tokenType ~= $0
        }
    }

    @Test("Does not print the tokens of a token source", .covers(124))
    func secrecy() async throws {
        let environment = try TestEnvironment()
        _ = try await environment.source.accessToken()
        var text = String(reflecting: environment.source) + String(describing: environment.source)
        dump(environment.source, to: &text)
        #expect(!text.contains("token-1"))
        #expect(!text.contains("secret"))
    }
}
