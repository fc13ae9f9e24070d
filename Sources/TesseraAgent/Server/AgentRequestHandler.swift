// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import TesseraSupport
internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth

/// Handles requests from programs.
final class AgentRequestHandler: Sendable {
    private struct State {
        var grants: Int64 = 0
        var isClosed = false
        /// The number of active requests that may refresh a token.
        var active = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let accounts: any AgentAccounts
    private let sessions: AgentSessionCache
    private let audit: AgentAudit
    private let memory: MemoryProtection
    private let now: @Sendable () -> Date
    private let startedAt = ContinuousClock.now
    private let state = Mutex(State())
    private let stopWanted: AsyncStream<Void>.Continuation

    init(
        _ accounts: any AgentAccounts,
        audit: AgentAudit,
        memory: MemoryProtection,
        now: @escaping @Sendable () -> Date,
        stopWanted: AsyncStream<Void>.Continuation
    ) {
        self.accounts = accounts
        self.sessions = AgentSessionCache(accounts)
        self.audit = audit
        self.memory = memory
        self.now = now
        self.stopWanted = stopWanted
    }

    /// Prevents new refreshes, and returns when the current ones have been saved.
    func close() async {
        await withCheckedContinuation { continuation in
            let isQuiet = self.state.withLock { state in
                state.isClosed = true
                if state.active > 0 { state.waiters.append(continuation) }
                return state.active == 0
            }
            if isQuiet { continuation.resume() }
        }
        await self.sessions.settle()
    }

    private func begin() throws {
        try self.state.withLock { state in
            if state.isClosed { throw CancellationError() }
            state.active += 1
        }
    }

    private func end() {
        let waiters = self.state.withLock { state in
            state.active -= 1
            guard state.active == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func response(_ request: LoopbackRequest) async -> LoopbackResponse {
        do {
            switch (request.method, request.path) {
            case ("POST", AgentMessage.token): return AgentMessage.response(try await self.token(request).json)
            case ("GET", AgentMessage.accounts): return AgentMessage.response(try await self.list())
            case ("GET", AgentMessage.status): return AgentMessage.response(self.status.json)
            case ("POST", AgentMessage.stop):
                self.stopWanted.finish()
                return AgentMessage.response(["pid": .integer(Int64(getpid()))])
            default:
                throw AgentError(.invalidRequest, detail: "\(request.method) \(request.path) is not supported")
            }
        } catch {
            return AgentMessage.response(AgentError(error))
        }
    }

    private var status: AgentStatus {
        AgentStatus(
            process: getpid(),
            uptime: (ContinuousClock.now - self.startedAt).components.seconds,
            grants: self.state.withLock { $0.grants },
            memory: self.memory
        )
    }

    private func list() async throws -> JSONNode {
        let records = try await self.accounts.records()
        self.sessions.retain(only: try await self.accounts.accounts())
        return ["accounts": .array(records.map { AgentAccount($0).json })]
    }

    private func token(_ message: LoopbackRequest) async throws -> AgentToken {
        let request = try AgentTokenRequest(message.body)
        do {
            let (token, refreshed) = try await self.token(for: request)
            try await self.audit.note(.grant(token, refreshed: refreshed), request, from: message.peer, at: self.now())
            self.state.withLock { $0.grants += 1 }
            return token
        } catch {
            let error = AgentError(error)
            // The program receives this error even if the line cannot be written.
            try? await self.audit.note(.refusal(error), request, from: message.peer, at: self.now())
            if error.code == .loginRequired { _ = try? await self.list() }
            throw error
        }
    }

    private func token(for request: AgentTokenRequest) async throws -> (AgentToken, refreshed: Bool) {
        if self.state.withLock({ $0.isClosed }) { throw CancellationError() }
        let record = try await self.accounts.record(named: request.account)
        // The agent may have been closed while the store waited for a passphrase or an unlocked keyring.
        try self.begin()
        defer { self.end() }
        guard record.tokens != nil else {
            throw AgentError(.loginRequired, detail: record.history.endReason.map { "the session has ended: \($0)" })
        }
        guard !record.isSenderConstrained else { throw AgentError(.unsupportedTokenType) }
        let held = self.sessions.session(of: record)
        let session = held.session
        try Self.check(request.scopes, session)
        let generation = session.record.generation
        let (token, scopes) = try await Self.token(for: request, held)
        guard token.type == .bearer else { throw AgentError(.unsupportedTokenType) }
        // A refresh may have returned fewer scopes than the user granted.
        try Self.check(request.scopes, session)
        let current = session.record
        let response = AgentToken(
            accessToken: token.secret,
            expiresIn: token.expiresAt.map { end in
                // A clock that was ahead when the token was obtained must not extend it.
                let longest = Double(current.tokens?.lifetime ?? .max)
                return Int64(min(max(0, end.timeIntervalSince(self.now())), longest))
            },
            scopes: scopes ?? current.grantedScopes.granted,
            account: AgentAccount(current)
        )
        return (response, current.generation != generation)
    }

    /// Returns a token, and its scopes if they are known to be fewer than the session's.
    private static func token(
        for request: AgentTokenRequest,
        _ held: AgentSessionCache.Held
    ) async throws -> (AccessToken, [Scope]?) {
        if request.isNarrow, !held.session.grantedScopes.granted.allSatisfy(request.scopes.contains),
            let narrowed = try await held.narrowed.token(for: request),
            Self.isEnough(narrowed.scopes, for: request, held.session)
        {
            return (narrowed.token, narrowed.scopes)
        }
        return (try await Self.token(for: request, held.session), nil)
    }

    private static func token(for request: AgentTokenRequest, _ session: OAuthSession) async throws -> AccessToken {
        if let refused = request.refusedToken {
            let token = try await session.replacement(forRejected: AccessToken(refused, expiresAt: nil))
            guard request.minimumValidity != nil, token.secret != refused else { return token }
        }
        if let seconds = request.minimumValidity { return try await session.accessToken(validFor: .seconds(seconds)) }
        return try await session.accessToken()
    }

    private static func isEnough(_ scopes: [Scope]?, for request: AgentTokenRequest, _ session: OAuthSession) -> Bool {
        guard let scopes else { return true }
        let aliases = session.grantedScopes.aliases
        return GrantedScopes(requested: request.scopes, granted: scopes, aliases: aliases).missing.isEmpty
    }

    private static func check(_ scopes: [Scope], _ session: OAuthSession) throws {
        let missing = scopes.filter { !session.grantedScopes.contains($0) }
        if !missing.isEmpty { throw AgentError(.insufficientScope, scopes: missing) }
    }
}
