// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting

/// A sign-in with a scripted provider and a store that records its operations.
struct TestEnvironment {
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

    /// Simulates another process with the same provider and the same records.
    func sibling(userAgent: ScriptedUserAgent? = nil, suspension: ProcessSuspension? = nil) throws -> TestEnvironment {
        try TestEnvironment(self.network, self.records, userAgent, suspension) { _ in }
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

    /// Returns a session whose access token has expired.
    func staleSession(_ scopes: [Scope] = [.openID, .email]) async throws -> OAuthSession {
        let session = try await self.session(scopes)
        self.expire()
        return session
    }

    /// Creates an environment in which the users "ada", "bob" and "cy" have signed in, one second after the other.
    ///
    /// `configure` can change the environment before the first sign-in.
    static func withThreeSessions(
        configure: (TestEnvironment) -> Void = { _ in }
    ) async throws -> (environment: TestEnvironment, sessions: [OAuthSession]) {
        let agent = ScriptedUserAgent.Replaceable()
        let environment = try TestEnvironment(userAgent: agent.agent)
        configure(environment)
        var sessions: [OAuthSession] = []
        for user in ["ada", "bob", "cy"] {
            agent.script { [network = environment.network] in [try network.consent(to: $0, as: user)] }
            sessions.append(try await environment.session())
            environment.network.clock.advance(by: .seconds(1))
        }
        return (environment, sessions)
    }

    /// Advances the clock until all access tokens have expired.
    func expire() { self.network.clock.advance(by: .seconds(3_600)) }

    /// Replaces the response of the token endpoint.
    func tokenEndpoint(_ script: ScriptedProvider.Script?) { self.network.intercept("/token", script) }

    /// Makes every token request wait at a gate before it is processed.
    func holdTokenEndpoint() -> Gate { self.hold("/token") }

    /// Makes every request for a path wait at a gate before it is processed.
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
    /// The token, for comparisons in tests.
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
