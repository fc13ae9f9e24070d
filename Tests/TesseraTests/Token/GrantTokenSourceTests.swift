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

@Suite("Tokens by a grant without a person")
struct GrantTokenSourceTests {
    /// A token endpoint that counts its tokens, and the clock of the source that asks it.
    private struct World {
        let clock = TestClock()
        let network: ScriptedTransport
        let source: GrantTokenSource

        init(
            script: ScriptedTransport.Script? = nil,
            make: (Provider, OAuthRuntime) throws -> GrantTokenSource = World.clientCredentials
        ) throws {
            let count = Mutex(0)
            self.network = ScriptedTransport { request in
                if let script { return try await script(request) }
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return .json(#"{"access_token":"token-\#(number)","token_type":"Bearer","expires_in":3600}"#)
            }
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

        static func clientCredentials(_ provider: Provider, _ runtime: OAuthRuntime) -> GrantTokenSource {
            .clientCredentials(provider, scopes: ["a"], resources: ["https://api.example"], runtime: runtime)
        }

        var grants: [String?] { self.network.requests.map { $0.formValue("grant_type") } }
    }

    @Test("Client credentials: one request for a crowd, and none while the token is fresh", .covers(87))
    func crowd() async throws {
        let world = try World()
        let texts = await Crowd.results(100) { try await world.source.accessToken().text }
        #expect(try texts.common() == "token-1")
        world.clock.advance(by: .seconds(3_000))
        #expect(try await world.source.accessToken().text == "token-1")
        #expect(world.grants == ["client_credentials"])
        #expect(world.network.requests[0].formValue("scope") == "a")
        #expect(world.network.requests[0].formValue("resource") == "https://api.example")
        #expect(world.source.authorizedOrigins == [try OriginPattern("https://api.example")])
    }

    @Test("Asks anew when the token has ended, and in the background when it is about to")
    func renewal() async throws {
        let arrived = Gate()
        let count = Mutex(0)
        let world = try World(script: { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 2 { await arrived.pass() }
            return .json(#"{"access_token":"token-\#(number)","token_type":"Bearer","expires_in":3600}"#)
        })
        #expect(try await world.source.accessToken().text == "token-1")
        world.clock.advance(by: .seconds(3_545))
        #expect(try await world.source.accessToken().text == "token-1")
        await arrived.arrival()
        #expect(try await world.source.accessToken().text == "token-1")
        arrived.open()
        world.clock.advance(by: .seconds(50))
        #expect(try await world.source.accessToken().text == "token-2")
        world.clock.advance(by: .seconds(3_600))
        #expect(try await world.source.accessToken().text == "token-3")
        #expect(world.network.requests.count == 3)
    }

    @Test("A refused token is replaced once, whoever refuses it, and an API that refuses for ever costs no more")
    func refusal() async throws {
        let world = try World()
        let first = try await world.source.accessToken()
        let second = try await world.source.refused(first)
        #expect(second.text == "token-2")
        #expect(try await world.source.refused(first) == second)
        #expect(try await world.source.refused(second) == second)
        #expect(world.network.requests.count == 2)
        world.clock.advance(by: .seconds(10))
        #expect(try await world.source.refused(second).text == "token-3")
        #expect(try await world.source.accessToken().text == "token-3")
        #expect(world.network.requests.count == 3)
    }

    @Test("A failure is delivered and not remembered")
    func failure() async throws {
        let isBroken = Mutex(true)
        let world = try World(script: { _ in
            if isBroken.withLock({ $0 }) { return .json(#"{"error":"invalid_scope"}"#, status: .badRequest) }
            return .json(#"{"access_token":"token","token_type":"Bearer"}"#)
        })
        await #expect { try await world.source.accessToken() } throws: { OAuthError.Code.invalidScope ~= $0 }
        isBroken.withLock { $0 = false }
        #expect(try await world.source.accessToken().text == "token")
    }

    @Test("JWT bearer: each request has an assertion of its own, and no client's name", .covers(65))
    func jwtBearer() async throws {
        let key = try JWSSigningKey.generate(.es256)
        let world = try World(make: { provider, runtime in
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
        let first = try await world.source.accessToken()
        world.clock.advance(by: .seconds(60))
        _ = try await world.source.refused(first)
        let claims = try world.network.requests.map { request in
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

    @Test("What an exchange issued is no access token when it says so")
    func exchange() async throws {
        let answer =
            #"{"access_token":"t","token_type":"N_A","issued_token_type":"urn:ietf:params:oauth:token-type:jwt"}"#
        let world = try World(
            script: { _ in .json(answer) },
            make: { provider, runtime in
                GrantTokenSource(provider, runtime: runtime) { _ in
                    .tokenExchange(subject: SecurityToken(Secret("s"), type: .jwt), requestedType: .jwt)
                }
            }
        )
        await #expect { try await world.source.accessToken() } throws: { ProtocolViolationError.Rule.tokenType ~= $0 }
    }

    @Test("Shows no token to a dump", .covers(124))
    func secrecy() async throws {
        let world = try World()
        _ = try await world.source.accessToken()
        var text = String(reflecting: world.source) + String(describing: world.source)
        dump(world.source, to: &text)
        #expect(!text.contains("token-1"))
        #expect(!text.contains("secret"))
    }
}
