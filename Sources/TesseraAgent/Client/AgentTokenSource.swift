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
    /// Whose tokens they are.
    public let account: AgentAccount
    private let client: AgentClient
    private let scopes: [Scope]
    private let isNarrow: Bool
    private let uptime: @Sendable () -> Int64
    private let cache: TokenCache<AccessToken>

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
        source.cache.publish(Self.current(token, asked: asked))
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
        self.cache = TokenCache(uptime: uptime)
    }

    /// Where the account's tokens may be sent.
    public var authorizedOrigins: [OriginPattern] { self.account.authorizedOrigins }

    /// A token that is valid now: at once while it is fresh, else from the agent.
    ///
    /// - Throws: ``AgentError``; `CancellationError`.
    public func accessToken() async throws -> AccessToken {
        if let token = self.cache.fresh { return token }
        return try await self.cache.token(self.ask)
    }

    /// Tells the agent that a server refused a token, so that it renews it, and gives the one that comes.
    ///
    /// - Throws: as ``accessToken()``.
    public func refused(_ token: AccessToken) async throws -> AccessToken {
        try await self.cache.refused(token, self.ask)
    }

    private func ask(_ reason: TokenCache<AccessToken>.Reason) async throws -> AccessToken {
        let refused: Secret? = if case .refused(let token) = reason { token.secret } else { nil }
        let asked = self.uptime()
        let request = AgentTokenRequest(
            account: self.account.fullName,
            scopes: self.scopes,
            isNarrow: self.isNarrow,
            refusedToken: refused
        )
        let token = try await self.client.token(request)
        guard token.account.account == self.account.account else {
            throw AgentError(.noAnswer, detail: "the token is another account's")
        }
        let current = Self.current(token, asked: asked)
        self.cache.publish(current)
        return current.token
    }

    /// A token that ends when less than min(60 s, 10 %) of what was left is left.
    private static func current(_ token: AgentToken, asked: Int64) -> CurrentToken<AccessToken> {
        let seconds = min(max(token.expiresIn ?? 0, 0), 31_622_400)
        let end = asked + (seconds - min(60, seconds / 10)) * 1_000_000_000
        // By the wall clock nothing is decided here.
        return CurrentToken(AccessToken(token.accessToken, expiresAt: nil), dueAt: end, expiredAt: end)
    }
}

extension AgentTokenSource: CustomStringConvertible {
    /// Names the provider, and no token.
    public var description: String { "access tokens of the agent for \(self.account.account.issuer)" }
}
