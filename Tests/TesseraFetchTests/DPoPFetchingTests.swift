// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraFetch
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Calls with DPoP-bound tokens")
struct DPoPFetchingTests {
    private static let url = "https://api.example/files?q=1"
    private static let demand = #"Basic realm="a, b", dpOP algs="ES256", error="use_dpop_nonce""#

    private static func fetcher(_ network: ScriptedTransport) throws -> (AuthorizedFetcher, ScriptedSource) {
        let source = try ScriptedSource(
            dpop: DPoPProver(try .generate(), runtime: .testing(transport: ScriptedTransport([])))
        )
        return (AuthorizedFetcher(source, transport: network), source)
    }

    private static func refusal(_ challenge: String, nonce: String? = nil) throws -> ScriptedResponse {
        var fields: HTTPFields = [.wwwAuthenticate: challenge]
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        fields[name] = nonce
        return .status(.unauthorized, headerFields: fields)
    }

    private static func claims(_ request: RecordedRequest) throws -> JSONValue {
        let name = try #require(HTTPField.Name("DPoP"))
        let values = request.head.headerFields[values: name]
        try #require(values.count == 1)
        let token = try CompactJWS(parsing: values[0])
        try token.verify(with: JWK(parsing: try #require(token.header.fields["jwk"])))
        return try token.claims()
    }

    private static func claims(_ network: ScriptedTransport, _ name: String) throws -> [String?] {
        try network.requests.map { try Self.claims($0)[name]?.string }
    }

    @Test(
        "Sends a DPoP proof for the method, URL and token, and replaces the caller's headers",
        .covers(100, 120)
    )
    func proof() async throws {
        let network = ScriptedTransport([.json("{}")])
        var request = try HTTPRequest(method: .post, url: Self.url)
        request.headerFields[.authorization] = "Bearer mine"
        request.headerFields[try #require(HTTPField.Name("DPoP"))] = "mine"
        _ = try await Self.fetcher(network).0.send(request, body: HTTPBody("x"))
        #expect(network.requests[0].head.headerFields[values: .authorization] == ["DPoP token-1"])
        let claims = try Self.claims(network.requests[0])
        #expect(claims["htm"]?.string == "POST")
        #expect(claims["htu"]?.string == "https://api.example/files")
        #expect(
            claims["ath"]?.string
                == (try DPoPProof(for: request, accessToken: Secret("token-1")).accessTokenHash)
        )
    }

    @Test("Sends a new DPoP proof for each redirect within the origin", .covers(100))
    func redirects() async throws {
        let network = ScriptedTransport([
            .status(.found, headerFields: [.location: "/next?a=b"]), .json("{}"),
        ])
        _ = try await Self.fetcher(network).0.send(try HTTPRequest(url: Self.url))
        #expect(try Self.claims(network, "htu") == ["https://api.example/files", "https://api.example/next"])
        #expect(Set(try Self.claims(network, "jti")).count == 2)
        let endless = ScriptedTransport { _ in .status(.found, headerFields: [.location: "/next"]) }
        _ = try await Self.fetcher(endless).0.send(try HTTPRequest(url: Self.url))
        #expect(endless.requests.count == 6)
    }

    @Test("Resends a call with the nonce the API requires, without a new token", .covers(101))
    func nonce() async throws {
        let network = ScriptedTransport([
            try Self.refusal(Self.demand, nonce: "n1"), .json("{}"), .json("{}"),
        ])
        let (fetcher, source) = try Self.fetcher(network)
        let request = try HTTPRequest(method: .post, url: Self.url)
        #expect(try await fetcher.send(request, body: HTTPBody("hello")).0.status == .ok)
        _ = try await fetcher.send(request)
        #expect(try Self.claims(network, "nonce") == [nil, "n1", "n1"])
        #expect(Set(try Self.claims(network, "jti")).count == 3)
        #expect(network.requests.map(\.text) == ["hello", "hello", ""])
        #expect(source.journal == ["token", "token"])
    }

    @Test(
        "Stops after one retry, and does not retry without a usable nonce",
        .covers(102, 103),
        arguments: [("again", 2), (nil, 1), (String(repeating: "n", count: 10_000), 1), ("a b", 1)]
    )
    func endlessNonce(nonce: String?, count: Int) async throws {
        let network = ScriptedTransport { _ in try Self.refusal(Self.demand, nonce: nonce) }
        let (fetcher, source) = try Self.fetcher(network)
        #expect(try await fetcher.send(try HTTPRequest(url: Self.url)).0.status == .unauthorized)
        #expect(network.requests.count == count)
        #expect(source.journal == ["token"])
    }

    @Test(
        "Retries once for a nonce and once for a new token, in either order",
        .covers(101, 117)
    )
    func nonceAndRefusal() async throws {
        let (demand, refusal) = (
            try Self.refusal(Self.demand, nonce: "n"), try Self.refusal(#"DPoP error="invalid_token""#)
        )
        for responses in [[demand, refusal], [refusal, demand]] {
            let network = ScriptedTransport(responses + [.json("{}")])
            let (fetcher, source) = try Self.fetcher(network)
            #expect(try await fetcher.send(try HTTPRequest(url: Self.url)).0.status == .ok)
            #expect(source.journal == ["token", "rejected"])
            #expect(network.requests.last?.head.headerFields[.authorization] == "DPoP token-2")
            #expect(try Self.claims(network, "nonce").last == "n")
        }
        for responses in [[demand, refusal, demand], [refusal, demand, refusal], [demand, refusal, refusal]] {
            let network = ScriptedTransport(responses)
            let (fetcher, source) = try Self.fetcher(network)
            #expect(try await fetcher.send(try HTTPRequest(url: Self.url)).0.status == .unauthorized)
            #expect(network.requests.count == 3)
            #expect(source.journal == ["token", "rejected"])
        }
    }

    @Test(
        "Requests no new token for insufficient_scope, and resends only a replayable body",
        .covers(101, 117)
    )
    func noReplay() async throws {
        let network = ScriptedTransport { _ in try Self.refusal(#"DPoP error="insufficient_scope", scope="a""#) }
        let (fetcher, source) = try Self.fetcher(network)
        _ = try await fetcher.send(try HTTPRequest(url: Self.url))
        #expect(network.requests.count == 1)
        #expect(source.journal == ["token"])
        let error = await #expect(throws: BearerChallengeError.self) {
            try await fetcher.data(for: try HTTPRequest(url: Self.url))
        }
        #expect(error?.isInsufficientScope == true)
        #expect(error?.tokenType == .dpop)

        let once = ScriptedTransport { _ in try Self.refusal(Self.demand, nonce: "n") }
        let body = HTTPBody(length: nil, isReplayable: false) { { nil } }
        _ = try await Self.fetcher(once).0.send(try HTTPRequest(method: .post, url: Self.url), body: body)
        #expect(once.requests.count == 1)
    }

    @Test("Sends each server only the nonces that it issued", .covers(103))
    func origins() async throws {
        var options = ScriptedProvider.Options()
        options.supportsDPoP = true
        options.providerNonce = "provider"
        options.apiNonce = "api"
        let network = try ScriptedProvider(options: options)
        var provider = try network.provider
        provider.dpop = .required
        let signIn = SignIn(
            provider,
            runtime: network.runtime,
            store: InMemoryStore(),
            userAgent: network.userAgent()
        )
        let session = try await signIn.signIn(scopes: [.openID])
        let call = try HTTPRequest(url: ScriptedProvider.api + "/x")
        for _ in 0..<2 { #expect(try await session.fetcher.send(call).0.status == .ok) }
        _ = try await session.userInfo()
        network.clock.advance(by: .seconds(3_600))
        #expect(try await session.fetcher.send(call).0.status == .ok)
        func nonces(_ path: String) throws -> [String?] {
            try network.requests(path).map { try Self.claims($0)["nonce"]?.string }
        }
        #expect(try nonces("/x") == [nil, "api", "api", "api"])
        #expect(try nonces("/token") == [nil, "provider", "provider"])
        #expect(try nonces("/userinfo") == ["provider"])
        #expect(network.refreshes.count == 1)
    }
}
