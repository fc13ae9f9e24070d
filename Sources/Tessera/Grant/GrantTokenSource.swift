// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import Logging
internal import TesseraSupport
internal import TesseraJOSE
public import TesseraOAuth

/// Access tokens by a grant without a person: a program's own, a service account's, an exchanged one.
///
/// Tokens are kept in memory only and obtained anew when they end. Any number of tasks may call at once: there is one
/// request for all of them. Make one and keep it.
public final class GrantTokenSource: AccessTokenSource {
    /// Makes the request for a token; called for each, since an assertion is good once.
    public typealias Request = @Sendable (_ client: RegisteredClient) async throws -> TokenRequest

    private struct State {
        var current: CurrentToken?
        /// The key that the tokens are bound to, made for the first of them.
        var dpopKey: DPoPKey?
        /// When a token came in place of a refused one, by the clock that never jumps.
        var replacedAt: Int64?
        /// When the next request in the background may be tried.
        var backgroundFrom: Int64 = .min
    }

    /// How long nothing is asked again, in nanoseconds: after a replacement that was refused too, and after a request in
    /// the background.
    private static let pause: Int64 = 10_000_000_000

    /// Where the tokens may be sent.
    public let authorizedOrigins: [OriginPattern]
    private let connection: ProviderConnection
    private let request: Request
    private let flight = SingleFlight<AccessToken>()
    private let state = Mutex(State())

    /// A source of tokens that any grant brings.
    ///
    /// - Parameters:
    ///   - provider: whose tokens; its metadata is found by discovery where it has none.
    ///   - runtime: the network and the clocks.
    ///   - authorizedOrigins: where the tokens may be sent; nil takes the provider's.
    ///   - logger: what requests are noted in, without secrets.
    ///   - request: makes the request for a token.
    public init(
        _ provider: Provider,
        runtime: OAuthRuntime,
        authorizedOrigins: [OriginPattern]? = nil,
        logger: Logger = Logger(label: "tessera"),
        request: @escaping Request
    ) {
        self.connection = ProviderConnection(provider, runtime: runtime, logger: logger)
        self.authorizedOrigins = authorizedOrigins ?? provider.authorizedOrigins
        self.request = request
    }

    /// A token that is valid now: at once while it is fresh; after one request, shared by all callers, when it is not.
    ///
    /// - Throws: `OAuthError`, `HTTPStatusError`, `TransportError`, `ProtocolViolation`, `InvalidRequest`; what
    ///   the maker of requests throws; `CancellationError`. Nothing of a failure is remembered.
    public func accessToken() async throws -> AccessToken {
        let uptime = self.connection.runtime.uptime()
        let (current, isDue) = self.state.withLock { state -> (CurrentToken?, Bool) in
            guard let current = state.current, uptime >= current.dueAt, uptime >= state.backgroundFrom else {
                return (state.current, false)
            }
            state.backgroundFrom = uptime + Self.pause
            return (current, true)
        }
        guard let current, uptime < current.expiredAt else { return try await self.token(otherThan: current?.token) }
        if isDue { self.flight.start { try await self.obtain(insteadOf: current.token) } }
        return current.token
    }

    /// Another token in place of one that was refused, at the cost of one request at most.
    ///
    /// - Throws: as ``accessToken()``.
    public func refused(_ token: AccessToken) async throws -> AccessToken {
        let uptime = self.connection.runtime.uptime()
        let wasReplacement = self.state.withLock { state in
            // An API that refuses for ever would cost a request for each call.
            if let replacedAt = state.replacedAt, uptime - replacedAt < Self.pause, state.current?.token == token {
                return true
            }
            if state.current?.token == token { state.replacedAt = uptime }
            return false
        }
        return wasReplacement ? token : try await self.token(otherThan: token)
    }

    private func token(otherThan token: AccessToken?) async throws -> AccessToken {
        try await self.flight.run { try await self.obtain(insteadOf: token) }
    }

    /// Runs once at a time: what came since the caller looked, else a new token.
    private func obtain(insteadOf token: AccessToken?) async throws -> AccessToken {
        let runtime = self.connection.runtime
        if let current = self.state.withLock({ $0.current }), current.token != token, runtime.uptime() < current.dueAt {
            return current.token
        }
        let obtainedAt = runtime.now()
        let key =
            if let key = self.state.withLock({ $0.dpopKey }) { key } else { try await self.connection.newDPoPKey() }
        let client = try await self.connection.registeredClient(dpopKey: key)
        let response = try await client.send(try await self.request(client))
        guard response.tokenType != .notApplicable else {
            throw ProtocolViolation(
                .tokenType,
                expected: "an access token",
                actual: response.tokenType.rawValue,
                section: "RFC 8693, section 2.2.1"
            )
        }
        let tokens = TokenSet(
            accessToken: response.accessToken,
            tokenType: response.tokenType,
            obtainedAt: obtainedAt,
            lifetime: response.expiresIn,
            refreshToken: nil,
            idToken: nil
        )
        let current = CurrentToken(
            tokens,
            dpop: response.tokenType == .dpop ? key.map { self.connection.prover($0) } : nil,
            now: runtime.now(),
            uptime: runtime.uptime(),
            isRenewable: true
        )
        self.state.withLock { state in
            state.current = current
            state.dpopKey = key
            state.backgroundFrom = .min
        }
        return current.token
    }
}

extension GrantTokenSource: CustomStringConvertible, CustomReflectable {
    /// Names the provider, and no token.
    public var description: String { "access tokens of \(self.connection.provider.issuer)" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
