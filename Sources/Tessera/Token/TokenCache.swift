// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
package import TesseraOAuth

/// A cache for a source's current token, which runs at most one operation at a time to obtain a new one.
///
/// The source supplies the token's deadlines, the operation and the clock. All callers that need a new token share one
/// operation. It is never canceled, because an abandoned refresh loses the session if refresh tokens rotate. A canceled
/// caller stops waiting. Errors are not cached.
package final class TokenCache<Token: Sendable & Equatable>: Sendable {
    /// The reason why a new token is needed.
    package enum Reason: Sendable {
        /// There is no current token, or it has expired.
        case expired
        /// The current token is about to expire.
        case due
        /// A server rejected this token.
        case refused(Token)
    }

    /// A closure that obtains a token, publishes it and returns it.
    package typealias Operation = @Sendable (Reason) async throws -> Token

    private struct State {
        var current: CurrentToken<Token>?
        /// The number of published tokens.
        var publications = 0
        /// The time at which the current token replaced another one.
        var replacedAt: Int64?
        /// The time from which the next background operation may start.
        var backgroundFrom: Int64 = .min
        var backgroundDelay: Int64 = 0
    }

    /// The time during which a new token is not replaced even if a server rejects it, 10 seconds.
    ///
    /// Otherwise, an API that rejects every token would cause one operation per call.
    private static var pause: Int64 { 10_000_000_000 }

    private let state: Mutex<State>
    private let flight = SingleFlight<Token>()
    private let clock: TokenClock

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - current: The current token, if any.
    ///   - uptime: The clock that the deadlines refer to, in nanoseconds.
    ///   - refreshesInBackground: Whether a token that is due can currently be replaced in the background.
    package convenience init(
        _ current: CurrentToken<Token>? = nil,
        uptime: @escaping @Sendable () -> Int64,
        refreshesInBackground: @escaping @Sendable () -> Bool = { false }
    ) {
        self.init(current, clock: TokenClock(uptime: uptime, refreshesInBackground: refreshesInBackground))
    }

    /// Creates a cache that uses the clocks of a runtime.
    package convenience init(runtime: OAuthRuntime) { self.init(clock: TokenClock(runtime)) }

    /// Creates a cache with a shared clock.
    init(_ current: CurrentToken<Token>? = nil, clock: TokenClock) {
        self.state = Mutex(State(current: current))
        self.clock = clock
    }

    /// The current token, or nil if it is due or expired.
    package var fresh: Token? {
        let uptime = self.clock.coarseUptime()
        return self.state.withLock { state in
            guard let current = state.current, uptime < current.dueAt else { return nil }
            return current.token
        }
    }

    /// The current token, even if it has expired.
    package var current: CurrentToken<Token>? { self.state.withLock { $0.current } }

    /// Returns the current token, or runs `operation` if it has expired.
    ///
    /// If the token is due, it is returned and `operation` starts in the background.
    package func token(_ operation: @escaping Operation) async throws -> Token {
        let uptime = self.clock.coarseUptime()
        guard let current, uptime < current.expiredAt else { return try await self.run(.expired, operation) }
        if uptime >= current.dueAt { self.runInBackground(uptime, operation) }
        return current.token
    }

    /// Returns a token that is valid for at least `validity`, or a new token if its entire lifetime is shorter.
    package func token(validFor validity: Duration, _ operation: @escaping Operation) async throws -> Token {
        let limit = self.clock.uptime() &+ validity.nanoseconds
        let token = try await self.token(operation)
        guard let expiredAt = self.current?.expiredAt, expiredAt < limit else { return token }
        return try await self.replacement(of: token, operation)
    }

    /// Returns a replacement for a token that a server rejected, after at most one operation.
    ///
    /// Returns `token` itself if it has only just replaced another token.
    package func replacement(forRejected token: Token, _ operation: @escaping Operation) async throws -> Token {
        let uptime = self.clock.coarseUptime()
        let isNew = self.state.withLock { state in
            guard let replacedAt = state.replacedAt, state.current?.token == token else { return false }
            return uptime - replacedAt < Self.pause
        }
        return isNew ? token : try await self.replacement(of: token, operation)
    }

    /// Returns a token other than `token`, or `token` itself if no other is available.
    package func replacement(of token: Token, _ operation: @escaping Operation) async throws -> Token {
        // An operation that started for another reason may have returned the same token, so a second one may be needed.
        for _ in 0..<2 {
            let (current, publications) = self.state.withLock { ($0.current?.token, $0.publications) }
            if let current, current != token { return try await self.token(operation) }
            let result = try await self.run(.refused(token), operation)
            if result != token || self.state.withLock({ $0.publications }) != publications { return result }
        }
        return token
    }

    /// Waits for the operation in progress to complete, if there is one.
    ///
    /// A canceled caller stops waiting, unless `evenIfCanceled` is true.
    package func settle(evenIfCanceled: Bool = false) async {
        await self.flight.wait(evenIfCanceled: evenIfCanceled)
    }

    /// Replaces the current token.
    ///
    /// - Parameters:
    ///   - current: The new token, or nil if there is none.
    ///   - isReplacement: Whether the token was just obtained, so that another operation would not return a better one.
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

    /// Returns whether a token makes an operation for `reason` unnecessary.
    package func serves(_ current: CurrentToken<Token>, _ reason: Reason) -> Bool {
        let uptime = self.clock.uptime()
        return switch reason {
        case .expired: uptime < current.expiredAt
        case .due: uptime < current.dueAt
        case .refused(let token): current.token != token && uptime < current.expiredAt
        }
    }

    private func run(_ reason: Reason, _ operation: @escaping Operation) async throws -> Token {
        let token = try await self.flight.run { try await self.result(reason, operation) }
        // An operation that started before this call returns an outdated token if another one, such as that of a new
        // consent, has been published since.
        guard let current, current.token != token else { return token }
        return try await self.flight.run { try await self.result(reason, operation) }
    }

    /// Runs the operation in the background, with delays of 5, 10, 20, 40 and then 60 seconds after failures.
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
        // If an operation completed just before this one starts, its token is used.
        if let current, self.serves(current, reason) { return current.token }
        return try await operation(reason)
    }
}

/// The clock for token caches, which all sessions on a connection share to save memory.
final class TokenClock: Sendable {
    /// Nanoseconds since an arbitrary start.
    let uptime: @Sendable () -> Int64
    /// The uptime with a precision of a few milliseconds, which is faster to read.
    let coarseUptime: @Sendable () -> Int64
    /// Whether a token that is due can currently be replaced in the background.
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

    /// Creates a clock that allows background refreshes except while the app is in the background.
    ///
    /// An app in the background may be suspended before the response arrives.
    convenience init(_ runtime: OAuthRuntime) {
        let suspension = runtime.suspension
        self.init(uptime: runtime.uptime, coarseUptime: runtime.coarseUptime) {
            suspension?.isInBackground() != true
        }
    }
}
