// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Logging
internal import Metrics
internal import TesseraJOSE
internal import TesseraOAuth
internal import Tracing

/// What is asked of a provider, as spans and metrics name it.
enum Exchange: String, Sendable {
    case token
    case deviceAuthorization = "device_authorization"
    case pushedAuthorizationRequest = "pushed_authorization_request"
    case revocation
    case userInfo = "userinfo"
}

extension ProviderConnection {
    /// Runs an exchange, and leaves a trace of it that names the provider and the kind, never a person or a token.
    ///
    /// One span, one counter, one timer and one line at debug level, whatever becomes of it. Everything that labels a
    /// metric is one of few values: an outcome is `success`, a registered error code, or the kind of the error.
    ///
    /// - Parameters:
    ///   - exchange: what is asked.
    ///   - grantType: the grant of a token request.
    ///   - logger: where the line goes.
    ///   - work: sends the request.
    /// - Returns: what `work` returns.
    /// - Throws: what `work` throws.
    func observe<Value: Sendable>(
        _ exchange: Exchange,
        grantType: String? = nil,
        logger: Logger,
        _ work: () async throws -> Value
    ) async throws -> Value {
        let begun = self.runtime.uptime()
        do {
            let value = try await withSpan("oauth.\(exchange.rawValue)", ofKind: .client) { span in
                if let grantType { span.attributes["oauth.grant_type"] = grantType }
                span.attributes["oauth.issuer"] = self.provider.issuer.url
                return try await work()
            }
            self.note(exchange, grantType, outcome: "success", since: begun, logger)
            return value
        } catch {
            self.note(exchange, grantType, outcome: Self.outcome(error), since: begun, logger)
            throw error
        }
    }

    private func note(
        _ exchange: Exchange,
        _ grantType: String?,
        outcome: String,
        since begun: Int64,
        _ logger: Logger
    ) {
        let dimensions = (grantType.map { [("grant_type", $0)] } ?? []) + [("outcome", outcome)]
        let name = "oauth.\(exchange.rawValue)"
        Counter(label: name + ".requests", dimensions: dimensions).increment()
        Timer(label: name + ".duration", dimensions: dimensions).recordNanoseconds(self.runtime.uptime() - begun)
        var metadata: Logger.Metadata = [
            "oauth.exchange": "\(exchange.rawValue)", "oauth.outcome": "\(outcome)",
            "oauth.issuer": "\(self.provider.issuer.url)",
        ]
        metadata["oauth.grant_type"] = grantType.map { "\($0)" }
        logger.debug("Exchange with the provider done", metadata: metadata)
    }

    private static func outcome(_ error: any Error) -> String {
        switch error {
        case let error as OAuthError where OAuthError.Code.registered.contains(error.code): error.code.rawValue
        case is OAuthError: "other_error"
        case let error as HTTPStatusError: "http_\(error.status)"
        case is BearerChallenge: "challenge"
        case is ProtocolViolation: "protocol_violation"
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
        .invalidTarget, .useDPoPNonce, .invalidDPoPProof,
    ]
}
