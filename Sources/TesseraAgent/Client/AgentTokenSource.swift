// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import TesseraSupport
public import Tessera
public import TesseraOAuth

/// Access tokens from the agent, for everything that takes an `AccessTokenSource`.
///
/// It is about one account, found when it was made, whatever is selected later. A token is kept in memory while it is fresh,
/// and nothing else: no refresh token ever comes here. Any number of tasks may call at once; there is one question for all.
public final class AgentTokenSource: AccessTokenSource {
    private struct State {
        var token: AccessToken?
        /// Until when the token is given without a question, by the clock that never jumps.
        var freshUntil: Int64 = .min
    }

    /// Whose tokens they are.
    public let account: AgentAccount
    private let client: AgentClient
    private let scopes: [Scope]
    private let isNarrow: Bool
    private let uptime: @Sendable () -> Int64
    private let flight = SingleFlight<AccessToken>()
    private let state = Mutex(State())

    /// Asks the agent for a first token, and so for the account that is meant.
    ///
    /// - Parameters:
    ///   - account: whose tokens, as ``AgentTokenRequest/account``.
    ///   - scopes: what they have to be good for.
    ///   - isNarrow: whether they shall be good for nothing else, as ``AgentTokenRequest/isNarrow``.
    ///   - client: asks the agent.
    /// - Returns: the source; make one and keep it.
    /// - Throws: ``AgentError``: `insufficientScope` where a scope was not granted, `unsupportedTokenType` for a session
    ///   whose tokens are bound to a key.
    public static func connect(
        account: String? = nil,
        scopes: [Scope] = [],
        isNarrow: Bool = false,
        client: AgentClient = AgentClient()
    ) async throws -> AgentTokenSource {
        let request = AgentTokenRequest(account: account, scopes: scopes, isNarrow: isNarrow)
        return try await Self.connect(request, client: client, uptime: LoopbackServer.systemUptime)
    }

    /// The same by a clock of the caller's.
    package static func connect(
        _ request: AgentTokenRequest,
        client: AgentClient,
        uptime: @escaping @Sendable () -> Int64
    ) async throws -> AgentTokenSource {
        let asked = uptime()
        let token = try await client.token(request)
        let source = AgentTokenSource(token.account, request, client: client, uptime: uptime)
        source.keep(token, asked: asked)
        return source
    }

    private init(
        _ account: AgentAccount,
        _ request: AgentTokenRequest,
        client: AgentClient,
        uptime: @escaping @Sendable () -> Int64
    ) {
        self.account = account
        self.scopes = request.scopes
        self.isNarrow = request.isNarrow
        self.client = client
        self.uptime = uptime
    }

    /// Where the account's tokens may be sent.
    public var authorizedOrigins: [OriginPattern] { self.account.authorizedOrigins }

    /// A token that is valid now: at once while it is fresh, else from the agent.
    ///
    /// - Throws: ``AgentError``; `CancellationError`.
    public func accessToken() async throws -> AccessToken {
        let uptime = self.uptime()
        if let token = self.state.withLock({ uptime < $0.freshUntil ? $0.token : nil }) { return token }
        return try await self.flight.run { try await self.ask(insteadOf: nil) }
    }

    /// Tells the agent that a server refused a token, so that it renews it, and gives the one that comes.
    ///
    /// - Throws: as ``accessToken()``.
    public func refused(_ token: AccessToken) async throws -> AccessToken {
        let newer = self.state.withLock { $0.token == token ? nil : $0.token }
        if newer != nil { return try await self.accessToken() }
        return try await self.flight.run { try await self.ask(insteadOf: token) }
    }

    private func ask(insteadOf refused: AccessToken?) async throws -> AccessToken {
        let asked = self.uptime()
        let request = AgentTokenRequest(
            account: self.account.fullName,
            scopes: self.scopes,
            isNarrow: self.isNarrow,
            refusedToken: refused?.secret
        )
        let token = try await self.client.token(request)
        guard token.account.account == self.account.account else {
            throw AgentError(.noAnswer, detail: "the token is another account's")
        }
        return self.keep(token, asked: asked)
    }

    /// Takes a token over until it is about to end: less than min(60 s, 10 %) of what was left is left.
    @discardableResult
    private func keep(_ answer: AgentToken, asked: Int64) -> AccessToken {
        let seconds = min(max(answer.expiresIn ?? 0, 0), 31_622_400)
        // By the wall clock nothing is decided here.
        let token = AccessToken(answer.accessToken, expiresAt: nil)
        self.state.withLock { state in
            state.token = token
            state.freshUntil = asked + (seconds - min(60, seconds / 10)) * 1_000_000_000
        }
        return token
    }
}

extension AgentTokenSource: CustomStringConvertible {
    /// Names the provider, and no token.
    public var description: String { "access tokens of the agent for \(self.account.account.issuer)" }
}
