// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting

/// A scripted provider, a store that is watched, and a program that signs people in.
struct World {
    let network: ScriptedProvider
    let store: WatchedStore
    let userAgent: ScriptedUserAgent
    let signIn: SignIn

    init(
        _ options: ScriptedProvider.Options = ScriptedProvider.Options(),
        userAgent: ScriptedUserAgent? = nil,
        suspension: ProcessSuspension? = nil,
        change: (inout Provider) -> Void = { _ in }
    ) throws {
        try self.init(try ScriptedProvider(options: options), InMemoryStore(), userAgent, suspension, change)
    }

    /// Another process, as it were: the same provider and the same records, everything else its own.
    func sibling(userAgent: ScriptedUserAgent? = nil, suspension: ProcessSuspension? = nil) throws -> World {
        try World(self.network, self.records, userAgent, suspension) { _ in }
    }

    private let records: InMemoryStore

    private init(
        _ network: ScriptedProvider,
        _ records: InMemoryStore,
        _ userAgent: ScriptedUserAgent?,
        _ suspension: ProcessSuspension?,
        _ change: (inout Provider) -> Void
    ) throws {
        self.network = network
        self.records = records
        self.store = WatchedStore(records)
        self.userAgent = userAgent ?? network.userAgent()
        var provider = try network.provider
        change(&provider)
        var runtime = network.runtime
        runtime.suspension = suspension
        self.signIn = SignIn(provider, runtime: runtime, store: self.store, userAgent: self.userAgent)
    }

    static let drive: Scope = "https://api.example/drive"

    func session(_ scopes: [Scope] = [.openID, .email]) async throws -> OAuthSession {
        try await self.signIn.signIn(scopes: scopes)
    }

    /// A session whose access token has expired.
    func staleSession(_ scopes: [Scope] = [.openID, .email]) async throws -> OAuthSession {
        let session = try await self.session(scopes)
        self.expire()
        return session
    }

    /// Creates a world in which the users "ada", "bob" and "cy" have signed in, one second after the other.
    ///
    /// `configure` can change the world before the first sign-in.
    static func withThreeSessions(
        configure: (World) -> Void = { _ in }
    ) async throws -> (world: World, sessions: [OAuthSession]) {
        let agent = ScriptedUserAgent.Later()
        let world = try World(userAgent: agent.agent)
        configure(world)
        var sessions: [OAuthSession] = []
        for user in ["ada", "bob", "cy"] {
            agent.script { [network = world.network] in [try network.consent(to: $0, as: user)] }
            sessions.append(try await world.session())
            world.network.clock.advance(by: .seconds(1))
        }
        return (world, sessions)
    }

    /// Goes on in time until no access token of before is valid.
    func expire() { self.network.clock.advance(by: .seconds(3_600)) }

    /// From now on the token endpoint answers so.
    func tokenEndpoint(_ script: ScriptedProvider.Script?) { self.network.intercept("/token", script) }

    /// From now on every token request waits at a gate, and is answered as usual once that is open.
    func holdTokenEndpoint() -> Gate { self.hold("/token") }

    /// From now on every request for a path waits at a gate, and is answered as usual once that is open.
    func hold(_ path: String) -> Gate {
        let gate = Gate()
        self.network.intercept(path) { _ in
            await gate.pass()
            return nil
        }
        return gate
    }
}

extension AccessToken {
    /// The text, for comparisons in tests.
    var text: String { self.secret.withUnredacted { $0 } }
}

extension OAuthSession {
    var refreshTokenText: String? { self.record.tokens?.refreshToken?.withUnredacted { $0 } }
}

extension SignInOptions {
    /// Returns options with changed properties.
    static func with(_ change: (inout SignInOptions) -> Void) -> SignInOptions {
        var options = SignInOptions()
        change(&options)
        return options
    }
}
