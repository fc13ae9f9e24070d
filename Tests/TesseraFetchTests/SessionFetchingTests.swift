// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Calls with a session")
struct SessionFetchingTests {
    @Test("Refreshes once for 100 concurrent calls whose token is rejected", .covers(112, 117))
    func burst() async throws {
        let network = try ScriptedProvider()
        let session = try await Self.session(network)
        network.invalidateAccessTokens()
        let fetcher = session.fetcher
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await fetcher.send(HTTPRequest(url: "\(ScriptedProvider.api)/\(number)")).0.status.code
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 100))
        #expect(network.refreshes.count == 1)
    }

    @Test("Refreshes at most once per call even if the API rejects every token", .covers(117))
    func stubbornAPI() async throws {
        let network = try ScriptedProvider()
        let session = try await Self.session(network)
        network.intercept("/never") { _ in .status(.unauthorized) }
        network.clock.advance(by: .seconds(3_600))
        let (response, _) = try await session.fetcher.send(HTTPRequest(url: "\(ScriptedProvider.api)/never"))
        #expect(response.status == .unauthorized)
        #expect(network.requests("/never").count == 1)
        #expect(network.refreshes.count == 1)
        #expect(session.ended == nil)
    }

    @Test("Does not refresh an expired token for a call to an unauthorized origin", .covers(120))
    func foreignOrigin() async throws {
        let network = try ScriptedProvider()
        let session = try await Self.session(network)
        network.clock.advance(by: .seconds(3_600))
        let requests = network.requests.count
        await #expect(throws: UnauthorizedOriginError.self) {
            try await session.fetcher.send(HTTPRequest(url: "https://other.example/"))
        }
        #expect(network.requests.count == requests)
    }

    @Test("Stores the origins that were authorized at sign-in", .covers(120))
    func allowedOrigin() async throws {
        let network = try ScriptedProvider()
        let store = InMemoryStore()
        let signIn = SignIn(
            try network.provider,
            runtime: network.runtime,
            store: store,
            userAgent: network.userAgent()
        )
        let options = SignInOptions(authorizedOrigins: [try OriginPattern("https://more.example")])
        let session = try await signIn.signIn(scopes: [.openID], options: options)
        let stored = try #require(try await store.load(session.account))
        #expect(
            stored.authorizedOrigins.map(\.description) == [
                ScriptedProvider.issuer, ScriptedProvider.api, "https://more.example",
            ]
        )
        await #expect(throws: TransportError.self) {
            let options = CallOptions(backoff: .once)
            _ = try await session.fetcher.send(HTTPRequest(url: "https://more.example/"), options: options)
        }
    }

    private static func session(_ network: ScriptedProvider) async throws -> OAuthSession {
        let signIn = SignIn(
            try network.provider,
            runtime: network.runtime,
            store: InMemoryStore(),
            userAgent: network.userAgent()
        )
        return try await signIn.signIn(scopes: [.openID, .email])
    }
}
