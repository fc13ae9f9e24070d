// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Logging
internal import Metrics
internal import TesseraJOSE
public import TesseraOAuth
internal import Tracing

/// Leaves a trace of every exchange that names the provider and the kind, never a person or a token.
///
/// One span, one counter, one timer and one line at debug level, whatever becomes of it. Everything that labels a metric
/// is one of few values: an outcome is `success`, a registered error code, or the kind of the error.
struct ExchangeTrace: ExchangeObserver {
    let logger: Logger
    let uptime: @Sendable () -> Int64
    /// The provider, for exchanges that do not name it.
    let issuer: Issuer?

    func observe<Value: Sendable>(
        _ exchange: OAuthExchange,
        _ work: ExchangeWork<Value>
    ) async throws -> Value {
        let begun = self.uptime()
        do {
            let value = try await withSpan("oauth.\(exchange.name)", ofKind: .client) { span in
                if let grantType = exchange.grantType { span.attributes["oauth.grant_type"] = grantType }
                if let issuer = exchange.issuer ?? self.issuer { span.attributes["oauth.issuer"] = issuer.url }
                return try await work()
            }
            self.note(exchange, outcome: "success", since: begun)
            return value
        } catch {
            self.note(exchange, outcome: Self.outcome(error), since: begun)
            throw error
        }
    }

    private func note(_ exchange: OAuthExchange, outcome: String, since begun: Int64) {
        let dimensions = (exchange.grantType.map { [("grant_type", $0)] } ?? []) + [("outcome", outcome)]
        let name = "oauth.\(exchange.name)"
        Counter(label: name + ".requests", dimensions: dimensions).increment()
        Timer(label: name + ".duration", dimensions: dimensions).recordNanoseconds(self.uptime() - begun)
        var metadata: Logger.Metadata = ["oauth.exchange": "\(exchange.name)", "oauth.outcome": "\(outcome)"]
        metadata["oauth.issuer"] = (exchange.issuer ?? self.issuer).map { "\($0.url)" }
        metadata["oauth.grant_type"] = exchange.grantType.map { "\($0)" }
        self.logger.debug("Exchange with the provider done", metadata: metadata)
    }

    private static func outcome(_ error: any Error) -> String {
        switch error {
        case let error as OAuthError where OAuthError.Code.registered.contains(error.code): error.code.rawValue
        case is OAuthError: "other_error"
        case let error as HTTPStatusError: "http_\(error.status)"
        case is BearerChallengeError: "challenge"
        case is ProtocolViolationError: "protocol_violation"
        case is TransportError: "transport"
        case is CancellationError: "cancelled"
        default: "failed"
        }
    }
}

extension OAuthError.Code {
    /// The codes that may stand in a metric: a server's own words have no bound.
    fileprivate static let registered: Set<Self> = [
        .invalidRequest, .invalidClient, .invalidGrant, .unauthorizedClient, .unsupportedGrantType, .invalidScope,
        .accessDenied, .serverError, .temporarilyUnavailable, .slowDown, .authorizationPending, .expiredToken,
        .invalidTarget, .useDPoPNonce, .invalidDPoPProof, .unknownUserID, .expiredLoginHintToken, .missingUserCode,
        .invalidUserCode, .invalidBindingMessage,
    ]
}

extension OAuthRuntime {
    /// The same world, in which every exchange leaves a span, a counter, a timer and a line at debug level.
    ///
    /// Spans and metrics are named `oauth.` and the exchange's name; an error is told by its kind alone. Nothing names a
    /// person or holds a secret. ``SignIn`` and ``GrantTokenSource`` do this by themselves, unless `OAuthRuntime.observer`
    /// is set; for a `RegisteredClient`, a `KeySetCache` and registrations it is the caller's choice.
    ///
    /// - Parameters:
    ///   - logger: where the lines go.
    ///   - issuer: named by exchanges that do not know whom they ask: for keys and metadata.
    /// - Returns: the runtime with an observer in place of the one it had.
    public func observed(logger: Logger = Logger(label: "tessera"), issuer: Issuer? = nil) -> OAuthRuntime {
        var runtime = self
        runtime.observer = ExchangeTrace(logger: logger, uptime: self.uptime, issuer: issuer)
        return runtime
    }
}
