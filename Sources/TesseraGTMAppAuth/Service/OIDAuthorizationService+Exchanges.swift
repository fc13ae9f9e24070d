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
    /// The document's `issuer` must be the requested one, with or without a slash at the end.
    class func configuration(of issuer: URL) async throws -> OIDServiceConfiguration {
        let environment = try AppAuthEnvironment.current()
        let issuer = try Issuer(issuer.absoluteString, insecure: environment.insecure)
        let request = MetadataRequest(.openIDConnect, of: issuer, insecure: environment.insecure)
        let document = try await self.document(at: request.url, environment)
        guard document.isPublished(by: issuer) else {
            throw ProtocolViolationError(
                .issuerMatch,
                expected: "the issuer \"\(issuer.url)\"",
                actual: "\"\(document.issuer.absoluteString)\""
            )
        }
        return OIDServiceConfiguration(discoveryDocument: document)
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
        let document = try await self.document(at: text, try AppAuthEnvironment.current())
        return OIDServiceConfiguration(discoveryDocument: document)
    }

    /// Fetches a document.
    ///
    /// - Throws: `ProtocolViolationError` if the URL is not an https URL, `CancellationError`, or an `NSError` with the
    ///   code `networkError` for anything else.
    private class func document(at url: String, _ environment: AppAuthEnvironment) async throws -> OIDServiceDiscovery {
        let endpoint = try Endpoint(url, name: "the discovery URL", insecure: environment.insecure)
        let runtime = environment.runtime
        do {
            return try await runtime.observed(.discovery) {
                let (response, body) = try await runtime.exchange(.get(endpoint))
                guard response.status == .ok else {
                    let status = Int(response.status.code)
                    let error = HTTPStatusError(status: status, endpoint: "metadata endpoint")
                    throw FailedExchange(error, status: status, body: body)
                }
                return try OIDServiceDiscovery(jsonData: Data(body))
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            let cause = (error as? FailedExchange)?.httpError ?? FetchErrors.mapped(error)
            let reason = (error as? FailedExchange).map { "\($0.error)" } ?? (cause as NSError).localizedDescription
            let description = "Could not fetch the discovery document from \(url): \(reason)"
            throw NSError.appAuth(.networkError, description, underlying: cause)
        }
    }

    class func registered(_ request: OIDRegistrationRequest) async throws -> OIDRegistrationResponse {
        if let name = request.unencodableParameter {
            throw NSError.appAuth(
                .jsonSerializationError,
                "Could not encode the registration request: JSON cannot represent the value of \(name)."
            )
        }
        guard let url = request.configuration.registrationEndpoint else {
            throw NSError.appAuth(.invalidDiscoveryDocument, "The configuration has no registration endpoint.")
        }
        let client = try request.configuration.registeredClient()
        var metadata = ClientMetadata()
        for member in request.members { metadata[member.name] = member.value }
        let registration = try await client.send(
            RegistrationRequest.register(
                metadata,
                at: try Endpoint(url.absoluteString, name: "registration_endpoint", insecure: client.insecure),
                initialAccessToken: request.initialAccessToken.map { Secret($0) }
            ),
            secrets: [request.initialAccessToken, metadata.softwareStatement]
        )
        return OIDRegistrationResponse(
            request: request,
            parameters: JSONParameters(registration.document).dictionary
        )
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
        var sent = TokenRequest(form: request.form, headerFields: request.sendableHeaders)
        sent.requiresJSONContentType = false
        let tokens = try await client.send(sent, secrets: request.secrets)
        let receivedAt = client.runtime.now()
        var parameters = JSONParameters(tokens.document)
        var violation: ProtocolViolationError?
        do {
            if let idToken = tokens.idToken {
                // The expected nonce is known only from the authorization response.
                let isFromCode = request.grantType == OIDGrantTypeAuthorizationCode
                let nonce = isFromCode ? authorizationResponse?.request.nonce : nil
                let validated = try await configuration.connection(for: client)
                    .validate(
                        idToken,
                        beside: tokens.accessToken,
                        nonce: nonce.map { .equal(Secret($0)) } ?? .unchecked,
                        after: previous.flatMap { try? IDTokenClaims(unverified: Secret($0)) }
                    )
                // With a wrong clock, a refresh must not lose its tokens.
                if isFromCode { try self.checkAge(of: validated.claims, at: client.runtime.now()) }
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

extension OIDAuthorizationService {
    /// The maximum age of a new ID token, in seconds.
    private static let maximumAge: TimeInterval = 600

    /// Checks that an ID token was issued recently.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
    private class func checkAge(of claims: IDTokenClaims, at now: Date) throws {
        let age = now.timeIntervalSince1970 - claims.issuedAt
        guard age > self.maximumAge else { return }
        throw ProtocolViolationError(
            .jwtTime,
            expected: "iat at most \(Int(self.maximumAge)) seconds ago",
            actual: "\(Int64(age)) s ago by this machine's clock",
            section: "OpenID Connect Core 1.0, section 3.1.3.7"
        )
    }
}

extension OIDTokenRequest {
    /// The valid additional header fields, except those that TesseraOAuth sets itself.
    fileprivate var sendableHeaders: [String: String] {
        let own: [HTTPField.Name] = [.accept, .contentType] + (self.clientSecret == nil ? [] : [.authorization])
        return (self.additionalHeaders ?? [:])
            .filter { name, value in
                HTTPField.Name(name).map { !own.contains($0) } == true && HTTPField.isValidValue(value)
            }
    }

    /// The values that errors must not contain.
    ///
    /// An additional parameter or header field can be secret, unless it is a URL, such as a resource.
    fileprivate var secrets: [String?] {
        let additional = [self.additionalParameters, self.additionalHeaders].compactMap(\.self).flatMap(\.values)
        return [self.clientSecret, self.authorizationCode, self.refreshToken, self.codeVerifier]
            + additional.filter { !$0.hasPrefix("https://") }
    }
}

/// The result of a token request.
struct ExchangedTokens: Sendable {
    /// The response, from which an invalid ID token has been removed.
    let response: OIDTokenResponse
    /// The violation found in the ID token of a refresh response.
    let violation: ProtocolViolationError?
}
