// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

/// The requests to a provider, which Tessera and TesseraOAuth send and validate.
extension OIDAuthorizationService {
    /// Fetches an issuer's discovery document.
    ///
    /// The document's `issuer` must be the requested one.
    class func configuration(of issuer: URL) async throws -> OIDServiceConfiguration {
        let environment = try AppAuthEnvironment.current()
        let provider = try Provider.issuer(
            issuer.absoluteString,
            client: OAuthClient(clientID: ""),
            insecure: environment.insecure
        )
        let connection = ProviderConnection(provider, runtime: environment.runtime)
        let document = try await connection.discover(.openIDConnect).metadata.document
        return OIDServiceConfiguration(discoveryDocument: try OIDServiceDiscovery(JSONParameters(document)))
    }

    /// Fetches a discovery document.
    ///
    /// If the URL is an issuer's well-known URL, the document must name that issuer.
    class func configuration(at url: URL) async throws -> OIDServiceConfiguration {
        let suffix = "/.well-known/openid-configuration"
        let text = url.absoluteString
        if text.hasSuffix(suffix), let issuer = URL(string: String(text.dropLast(suffix.count))) {
            return try await self.configuration(of: issuer)
        }
        let environment = try AppAuthEnvironment.current()
        let endpoint = try Endpoint(text, name: "the discovery URL", insecure: environment.insecure)
        let (response, body) = try await environment.runtime.exchange(.get(endpoint))
        guard response.status == .ok else {
            throw HTTPStatusError(status: Int(response.status.code), endpoint: "discovery document")
        }
        return OIDServiceConfiguration(discoveryDocument: try OIDServiceDiscovery(jsonData: Data(body)))
    }

    class func registered(_ request: OIDRegistrationRequest) async throws -> OIDRegistrationResponse {
        let client = try request.configuration.registeredClient()
        var metadata = ClientMetadata()
        for member in request.members { metadata[member.name] = member.value }
        let registration = try await RegisteredClient.register(
            metadata,
            at: client.metadata,
            initialAccessToken: request.initialAccessToken.map { Secret($0) },
            runtime: client.runtime
        )
        let members = JSONParameters(registration.document).dictionary
        guard let response = OIDRegistrationResponse(request: request, parameters: members) else {
            throw NSError.appAuth(
                .registrationResponseConstructionError,
                "The registration response lacks a required member."
            )
        }
        return response
    }

    /// Sends a token request.
    ///
    /// If the response contains an ID token, it must be valid.
    class func exchanged(
        _ request: OIDTokenRequest,
        _ authorizationResponse: OIDAuthorizationResponse?
    ) async throws -> OIDTokenResponse {
        let tokens = try await self.exchange(request, authorizationResponse, after: nil)
        if let violation = tokens.violation { throw violation }
        return tokens.response
    }

    /// Refreshes tokens.
    ///
    /// - Parameters:
    ///   - request: The refresh request.
    ///   - idToken: The previous ID token, which the new one must match.
    /// - Returns: The response, and the violation if the ID token is invalid.
    /// - Throws: An `NSError` in one of AppAuth's domains.
    class func refresh(_ request: OIDTokenRequest, after idToken: String?) async throws -> ExchangedTokens {
        try await self.mapping { try await self.exchange(request, nil, after: idToken) }
    }

    private class func exchange(
        _ request: OIDTokenRequest,
        _ authorizationResponse: OIDAuthorizationResponse?,
        after previous: String?
    ) async throws -> ExchangedTokens {
        let configuration = request.configuration
        let client = try configuration.registeredClient(clientID: request.clientID, clientSecret: request.clientSecret)
        let receivedAt = client.runtime.now()
        let tokens = try await client.send(
            TokenRequest(form: request.form, headerFields: request.additionalHeaders ?? [:])
        )
        var parameters = JSONParameters(tokens.document)
        var violation: ProtocolViolationError?
        do {
            if let idToken = tokens.idToken {
                // The expected nonce is known only from the authorization response.
                let isFromCode = request.grantType == OIDGrantTypeAuthorizationCode
                let nonce = isFromCode ? authorizationResponse?.request.nonce : nil
                _ = try await configuration.connection(for: client)
                    .validate(
                        idToken,
                        beside: tokens.accessToken,
                        nonce: nonce.map { .equal(Secret($0)) } ?? .unchecked,
                        after: previous.flatMap { try? IDTokenClaims(unverified: Secret($0)) }
                    )
            }
        } catch  where request.grantType == OIDGrantTypeRefreshToken {
            // The new tokens must not be lost when the ID token cannot be verified, for example because the issuer is
            // unknown or its keys cannot be fetched. A refresh does not sign in a user, so the ID token is discarded.
            parameters = parameters.others(than: ["id_token"])
            violation = configuration.canVerifyIDTokens ? error as? ProtocolViolationError : nil
        }
        return ExchangedTokens(
            response: OIDTokenResponse(request: request, parameters: parameters.dictionary, receivedAt: receivedAt),
            violation: violation
        )
    }
}

/// The result of a token request.
struct ExchangedTokens: Sendable {
    /// The response, from which an invalid ID token has been removed.
    let response: OIDTokenResponse
    /// The violation found in the ID token of a refresh response.
    let violation: ProtocolViolationError?
}
