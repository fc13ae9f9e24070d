// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Logging
internal import Metrics
internal import TesseraJOSE
internal import TesseraOAuth
internal import Tracing

/// Sends token requests, and leaves a trace of each that names the provider and the grant, never a person or a token.
struct TokenEndpoint: Sendable {
    let connection: ProviderConnection
    let logger: Logger

    /// One request, one answer; nothing is sent twice here.
    func send(_ request: TokenRequest, grantType: String) async throws -> TokenResponse {
        let runtime = self.connection.runtime
        let issuer = self.connection.provider.issuer.url
        let begun = runtime.uptime()
        do {
            let tokens = try await withSpan("oauth.token", ofKind: .client) { span in
                span.attributes["oauth.grant_type"] = grantType
                span.attributes["oauth.issuer"] = issuer
                return try await self.exchange(request)
            }
            self.note(grantType, outcome: "success", since: begun)
            return tokens
        } catch {
            self.note(grantType, outcome: Self.outcome(error), since: begun)
            throw error
        }
    }

    private func exchange(_ request: TokenRequest) async throws -> TokenResponse {
        let metadata = try await self.connection.metadata()
        let message = try request.message(
            client: self.connection.provider.client,
            supportedAuthenticationMethods: metadata.tokenEndpointAuthMethodsSupported
        )
        let (response, body) = try await self.connection.runtime.exchange(message)
        do {
            return try request.response(response, body: body)
        } catch let error as OAuthError {
            throw error.without(self.connection.provider.client.clientSecret)
        }
    }

    private func note(_ grantType: String, outcome: String, since begun: Int64) {
        let dimensions = [("grant_type", grantType), ("outcome", outcome)]
        Counter(label: "oauth.token.requests", dimensions: dimensions).increment()
        let duration = self.connection.runtime.uptime() - begun
        Timer(label: "oauth.token.duration", dimensions: dimensions).recordNanoseconds(duration)
        self.logger.debug(
            "Token request done",
            metadata: [
                "oauth.grant_type": "\(grantType)", "oauth.outcome": "\(outcome)",
                "oauth.issuer": "\(self.connection.provider.issuer.url)",
            ]
        )
    }

    private static func outcome(_ error: any Error) -> String {
        switch error {
        case let error as OAuthError where OAuthError.Code.registered.contains(error.code): error.code.rawValue
        case is OAuthError: "other_error"
        case let error as HTTPStatusError: "http_\(error.status)"
        case is ProtocolViolation: "protocol_violation"
        case is TransportError: "transport"
        case is CancellationError: "cancelled"
        default: "failed"
        }
    }
}

extension OAuthError.Code {
    /// The codes that may stand in a metric: a server's own words have no bound.
    static let registered: Set<Self> = [
        .invalidRequest, .invalidClient, .invalidGrant, .unauthorizedClient, .unsupportedGrantType, .invalidScope,
        .accessDenied, .serverError, .temporarilyUnavailable, .slowDown,
    ]
}
