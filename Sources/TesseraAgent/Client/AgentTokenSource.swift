// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import TesseraSupport
public import Tessera
public import TesseraOAuth

/// A source of access tokens from an agent, for any API that accepts an `AccessTokenSource`.
///
/// The account is determined when the source is created and does not change, even if another one is selected later.
/// Only an access token is stored, in memory and only while it is fresh. The source never receives a refresh token.
/// Multiple tasks can use it concurrently and share one request.
public final class AgentTokenSource: AccessTokenSource {
    /// The account that the tokens belong to.
    public let account: AgentAccount
    private let client: AgentClient
    private let scopes: [Scope]
    private let isNarrow: Bool
    private let uptime: @Sendable () -> Int64
    private let cache: TokenCache<AccessToken>

    /// Creates a source by requesting a first token, which also determines the account.
    ///
    /// - Parameters:
    ///   - account: The account's name, as for ``AgentTokenRequest/account``.
    ///   - scopes: The scopes that the tokens must have.
    ///   - isNarrow: Whether the tokens should have only these scopes, as for ``AgentTokenRequest/isNarrow``.
    ///   - client: A client for the agent.
    /// - Returns: The source, which you should create once and reuse.
    /// - Throws: ``AgentError``, for example with the code `insufficientScope` if a scope was not granted, or
    ///   `unsupportedTokenType` if the session's tokens are bound to a key.
    public static func connect(
        account: String? = nil,
        scopes: [Scope] = [],
        isNarrow: Bool = false,
        client: AgentClient = AgentClient()
    ) async throws -> AgentTokenSource {
        let request = AgentTokenRequest(account: account, scopes: scopes, isNarrow: isNarrow)
        return try await Self.connect(request, client: client, uptime: LoopbackServer.systemUptime)
    }

    /// Creates a source that uses the given uptime clock.
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

    /// The origins that may receive the account's tokens.
    public var authorizedOrigins: [OriginPattern] { self.account.authorizedOrigins }

    /// Returns a valid access token, requesting one from the agent if the cached token is not fresh.
    ///
    /// - Throws: ``AgentError`` or `CancellationError`.
    public func accessToken() async throws -> AccessToken {
        if let token = self.cache.fresh { return token }
        return try await self.cache.token(self.ask)
    }

    /// Reports to the agent that a server rejected a token, and returns a new one.
    ///
    /// - Throws: ``AgentError`` or `CancellationError`.
    public func replacement(forRejected token: AccessToken) async throws -> AccessToken {
        try await self.cache.replacement(forRejected: token, self.ask)
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
            throw AgentError(.noResponse, detail: "the token belongs to another account")
        }
        let current = Self.current(token, asked: asked)
        self.cache.publish(current)
        return current.token
    }

    /// Returns a token that is treated as expired before its expiration, by the refresh margin of its remaining
    /// lifetime.
    private static func current(_ token: AgentToken, asked: Int64) -> CurrentToken<AccessToken> {
        let seconds = min(max(token.expiresIn ?? 0, 0), 31_622_400)
        let usable = Double(seconds) - TokenMargin.refresh.seconds(ofLifetime: Double(seconds))
        let end = asked + Int64(usable * 1_000_000_000)
        // The expiration is left out because it is not checked against the wall clock here.
        return CurrentToken(AccessToken(token.accessToken, expiresAt: nil), dueAt: end, expiredAt: end)
    }
}

extension AgentTokenSource: CustomStringConvertible {
    /// A description that names the provider but does not contain a token.
    public var description: String { "access tokens from the agent for \(self.account.account.issuer)" }
}
