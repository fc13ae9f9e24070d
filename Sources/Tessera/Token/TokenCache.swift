// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraOAuth

/// The current token of one source, and the one operation at a time that obtains another.
///
/// The source supplies the token's deadlines, the operation, and the clock. All callers that need another token share one
/// operation, which is never cancelled: with rotating refresh tokens, an abandoned refresh loses the session. A cancelled
/// caller stops waiting. No failure is remembered.
package final class TokenCache<Token: Sendable & Equatable>: Sendable {
    /// Why another token is needed.
    package enum Reason: Sendable {
        /// The current token has expired, or there is none.
        case expired
        /// The current token is about to expire.
        case due
        /// A server rejected this token.
        case refused(Token)
    }

    /// Obtains a token, publishes it, and returns it.
    package typealias Operation = @Sendable (Reason) async throws -> Token

    private struct State {
        var current: CurrentToken<Token>?
        /// Counts what was published.
        var publications = 0
        /// When the current token replaced another one.
        var replacedAt: Int64?
        /// When the next operation in the background may start.
        var backgroundFrom: Int64 = .min
        var backgroundDelay: Int64 = 0
    }

    /// How long a new token is not replaced although a server rejects it: 10 seconds.
    ///
    /// An API that rejects every token would cost an operation for each call.
    private static var pause: Int64 { 10_000_000_000 }

    private let state: Mutex<State>
    private let flight = SingleFlight<Token>()
    private let clock: TokenClock

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - current: The token at hand.
    ///   - uptime: The clock of the deadlines, in nanoseconds.
    ///   - refreshesInBackground: Whether a token that is due may be replaced now while callers continue with it.
    package convenience init(
        _ current: CurrentToken<Token>? = nil,
        uptime: @escaping @Sendable () -> Int64,
        refreshesInBackground: @escaping @Sendable () -> Bool = { false }
    ) {
        self.init(current, clock: TokenClock(uptime: uptime, refreshesInBackground: refreshesInBackground))
    }

    /// Creates a cache with a clock that others share.
    init(_ current: CurrentToken<Token>? = nil, clock: TokenClock) {
        self.state = Mutex(State(current: current))
        self.clock = clock
    }

    /// The current token, if it is neither expired nor due.
    package var fresh: Token? {
        let uptime = self.clock.coarseUptime()
        return self.state.withLock { state in
            guard let current = state.current, uptime < current.dueAt else { return nil }
            return current.token
        }
    }

    /// The current token, whatever its age.
    package var current: CurrentToken<Token>? { self.state.withLock { $0.current } }

    /// Returns the current token, after `operation` if it has expired.
    ///
    /// A token that is due is returned, and `operation` starts in the background.
    package func token(_ operation: @escaping Operation) async throws -> Token {
        let uptime = self.clock.coarseUptime()
        guard let current, uptime < current.expiredAt else { return try await self.run(.expired, operation) }
        if uptime >= current.dueAt { self.runInBackground(uptime, operation) }
        return current.token
    }

    /// Returns a token that is valid for at least `validity`, or a new one if its whole lifetime is shorter.
    package func token(validFor validity: Duration, _ operation: @escaping Operation) async throws -> Token {
        let limit = self.clock.uptime() &+ validity.nanoseconds
        let token = try await self.token(operation)
        guard let expiredAt = self.current?.expiredAt, expiredAt < limit else { return token }
        return try await self.replacement(of: token, operation)
    }

    /// Returns another token if `token` was rejected by a server, after at most one operation.
    ///
    /// Returns `token` if it has just replaced another one.
    package func refused(_ token: Token, _ operation: @escaping Operation) async throws -> Token {
        let uptime = self.clock.coarseUptime()
        let isNew = self.state.withLock { state in
            guard let replacedAt = state.replacedAt, state.current?.token == token else { return false }
            return uptime - replacedAt < Self.pause
        }
        return isNew ? token : try await self.replacement(of: token, operation)
    }

    /// Returns another token than `token`, or `token` if there is no other.
    package func replacement(of token: Token, _ operation: @escaping Operation) async throws -> Token {
        // An operation that had started for another reason may have kept this token. Then a second one starts.
        for _ in 0..<2 {
            let (current, publications) = self.state.withLock { ($0.current?.token, $0.publications) }
            if let current, current != token { return try await self.token(operation) }
            let result = try await self.run(.refused(token), operation)
            if result != token || self.state.withLock({ $0.publications }) != publications { return result }
        }
        return token
    }

    /// Returns when the operation that is in flight has ended, immediately if there is none.
    package func settle() async { await self.flight.wait() }

    /// Replaces the current token, nil for none.
    ///
    /// - Parameters:
    ///   - current: The token.
    ///   - isReplacement: Whether it was obtained just now, so that another one would be no better.
    package func publish(_ current: CurrentToken<Token>?, isReplacement: Bool = false) {
        let uptime = self.clock.uptime()
        self.state.withLock { state in
            let isSame = current?.token == state.current?.token
            state = State(
                current: current,
                publications: state.publications + 1,
                replacedAt: isReplacement ? uptime : isSame ? state.replacedAt : nil
            )
        }
    }

    /// Whether a token makes an operation for `reason` unnecessary.
    package func serves(_ current: CurrentToken<Token>, _ reason: Reason) -> Bool {
        let uptime = self.clock.uptime()
        return switch reason {
        case .expired: uptime < current.expiredAt
        case .due: uptime < current.dueAt
        case .refused(let token): current.token != token && uptime < current.expiredAt
        }
    }

    private func run(_ reason: Reason, _ operation: @escaping Operation) async throws -> Token {
        try await self.flight.run { try await self.result(reason, operation) }
    }

    /// A failure is repeated after 5, 10, 20, 40 and then every 60 seconds.
    private func runInBackground(_ uptime: Int64, _ operation: @escaping Operation) {
        guard self.clock.refreshesInBackground() else { return }
        let mayStart = self.state.withLock { state in
            guard uptime >= state.backgroundFrom else { return false }
            state.backgroundDelay = min(max(state.backgroundDelay * 2, 5_000_000_000), 60_000_000_000)
            state.backgroundFrom = uptime + state.backgroundDelay
            return true
        }
        if mayStart { self.flight.start { try await self.result(.due, operation) } }
    }

    private func result(_ reason: Reason, _ operation: Operation) async throws -> Token {
        // A caller that came after the end of an operation and before the start of this one takes the former's token.
        if let current, self.serves(current, reason) { return current.token }
        return try await operation(reason)
    }
}

/// The clock of token caches, which many of them share: a server holds one for each session.
final class TokenClock: Sendable {
    /// Nanoseconds since an arbitrary start.
    let uptime: @Sendable () -> Int64
    /// The same, read faster and to a few milliseconds.
    let coarseUptime: @Sendable () -> Int64
    /// Whether a token that is due may be replaced now while callers continue with it.
    let refreshesInBackground: @Sendable () -> Bool

    init(
        uptime: @escaping @Sendable () -> Int64,
        coarseUptime: (@Sendable () -> Int64)? = nil,
        refreshesInBackground: @escaping @Sendable () -> Bool
    ) {
        self.uptime = uptime
        self.coarseUptime = coarseUptime ?? uptime
        self.refreshesInBackground = refreshesInBackground
    }

    /// Creates a clock by which tokens are refreshed in the background, except while the app is in the background itself:
    /// it may be suspended before the response.
    convenience init(_ runtime: OAuthRuntime) {
        let suspension = runtime.suspension
        self.init(uptime: runtime.uptime, coarseUptime: runtime.coarseUptime) {
            suspension?.isInBackground() != true
        }
    }
}
