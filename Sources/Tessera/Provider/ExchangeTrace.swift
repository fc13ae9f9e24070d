// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Logging
internal import Metrics
internal import TesseraJOSE
public import TesseraOAuth
internal import Tracing

/// An observer that records a span, a counter, a timer and a debug log message for each exchange with a provider.
///
/// The records name the provider and the kind of exchange, but never a user or a token. Metric dimensions have few
/// possible values: an outcome is `success`, a registered error code, or the kind of error.
struct ExchangeTrace: ExchangeObserver {
    let logger: Logger
    let uptime: @Sendable () -> Int64
    /// The provider's issuer, for exchanges that do not name it.
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
        self.logger.debug("Exchange with the provider finished", metadata: metadata)
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
    /// The codes used as metric dimensions, which must not include arbitrary codes from a server.
    fileprivate static let registered: Set<Self> = [
        .invalidRequest, .invalidClient, .invalidGrant, .unauthorizedClient, .unsupportedGrantType, .invalidScope,
        .accessDenied, .serverError, .temporarilyUnavailable, .slowDown, .authorizationPending, .expiredToken,
        .invalidTarget, .useDPoPNonce, .invalidDPoPProof, .unknownUserID, .expiredLoginHintToken, .missingUserCode,
        .invalidUserCode, .invalidBindingMessage,
    ]
}

extension OAuthRuntime {
    /// Returns a runtime that records a span, a counter, a timer and a debug log message for each exchange.
    ///
    /// Span and metric names consist of `oauth.` and the name of the exchange. Only the kind of an error is recorded,
    /// and the records contain no user data and no secrets. ``SignIn`` and ``CredentialTokenSource`` are observed
    /// automatically, unless `OAuthRuntime.observer` is set. Use this method for a `RegisteredClient`, a `KeySetCache`
    /// or registrations.
    ///
    /// - Parameters:
    ///   - logger: The logger for the messages.
    ///   - issuer: The issuer to record for exchanges that do not name one, such as requests for keys and metadata.
    /// - Returns: A copy of the runtime with its observer replaced.
    public func observed(logger: Logger = Logger(label: "tessera"), issuer: Issuer? = nil) -> OAuthRuntime {
        var runtime = self
        runtime.observer = ExchangeTrace(logger: logger, uptime: self.uptime, issuer: issuer)
        return runtime
    }
}
