// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
public import Foundation
public import TesseraOAuth

/// Sends AppAuth's requests to a provider.
///
/// Completion handlers are called once, asynchronously, on the main queue. All errors are in AppAuth's domains.
open class OIDAuthorizationService: NSObject {
    /// Sets the transport for all subsequent requests, as `OIDURLSessionProvider` does in AppAuth.
    ///
    /// - Parameters:
    ///   - transport: The HTTP transport.
    ///   - insecure: The insecure connections to permit. By default, only https endpoints are accepted.
    public class func use(transport: any HTTPTransport, insecure: Insecure = []) {
        AppAuthEnvironment.use(AppAuthEnvironment(runtime: OAuthRuntime(transport: transport), insecure: insecure))
    }

    /// Fetches an issuer's configuration.
    ///
    /// The discovery document's `issuer` must be equal to `issuerURL`, except for a slash at the end. If the document
    /// cannot be fetched or parsed, the error is `networkError`, and its underlying error is the cause.
    ///
    /// - SeeAlso: [OpenID Connect Discovery 1.0, section 4](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig)
    public class func discoverConfiguration(
        forIssuer issuerURL: URL,
        completion: @escaping OIDDiscoveryCallback
    ) {
        self.report(to: completion) { try await self.configuration(of: issuerURL) }
    }

    /// Fetches an issuer's configuration.
    ///
    /// - Throws: An `NSError` in one of AppAuth's domains.
    public class func discoverConfiguration(forIssuer issuerURL: URL) async throws -> OIDServiceConfiguration {
        try await self.mapping { try await self.configuration(of: issuerURL) }
    }

    /// Fetches the configuration from a discovery URL.
    ///
    /// If the URL is an issuer's well-known URL, the document must name that issuer. Otherwise, its `issuer` is not
    /// checked.
    public class func discoverConfiguration(
        forDiscoveryURL discoveryURL: URL,
        completion: @escaping OIDDiscoveryCallback
    ) {
        self.report(to: completion) { try await self.configuration(at: discoveryURL) }
    }

    /// Fetches the configuration from a discovery URL.
    ///
    /// - Throws: An `NSError` in one of AppAuth's domains.
    public class func discoverConfiguration(forDiscoveryURL discoveryURL: URL) async throws -> OIDServiceConfiguration {
        try await self.mapping { try await self.configuration(at: discoveryURL) }
    }

    /// Sends a token request, for example to exchange a code or a refresh token.
    ///
    /// - Parameters:
    ///   - request: The token request.
    ///   - authorizationResponse: The response that contained the code. If this is not nil, the ID token must contain
    ///     the nonce from the response's request.
    ///   - callback: Receives the response or an error. The ID token is verified, including its signature. It must have
    ///     been issued within the last 10 minutes.
    public class func perform(
        _ request: OIDTokenRequest,
        originalAuthorizationResponse authorizationResponse: OIDAuthorizationResponse? = nil,
        callback: @escaping OIDTokenCallback
    ) {
        self.report(to: callback) { try await self.exchanged(request, authorizationResponse) }
    }

    /// Sends a token request, for example to exchange a code or a refresh token.
    ///
    /// - Throws: An `NSError` in one of AppAuth's domains.
    public class func perform(
        _ request: OIDTokenRequest,
        originalAuthorizationResponse authorizationResponse: OIDAuthorizationResponse? = nil
    ) async throws -> OIDTokenResponse {
        try await self.mapping { try await self.exchanged(request, authorizationResponse) }
    }

    /// Registers a client with a provider.
    ///
    /// - Parameters:
    ///   - request: The registration request.
    ///   - completion: Receives the registration or an error. The error is in `OIDOAuthRegistrationErrorDomain` if the
    ///     provider rejected the request.
    /// - SeeAlso: [RFC 7591, section 3](https://www.rfc-editor.org/rfc/rfc7591.html#section-3)
    public class func perform(
        _ request: OIDRegistrationRequest,
        completion: @escaping OIDRegistrationCompletion
    ) {
        self.report(to: completion, refusals: OIDOAuthRegistrationErrorDomain) { try await self.registered(request) }
    }

    /// Registers a client with a provider.
    ///
    /// - Throws: An `NSError` in one of AppAuth's domains.
    public class func perform(_ request: OIDRegistrationRequest) async throws -> OIDRegistrationResponse {
        try await self.mapping(refusals: OIDOAuthRegistrationErrorDomain) { try await self.registered(request) }
    }
}

extension OIDAuthorizationService {
    /// Runs `work` in a task and calls the completion handler on the main queue.
    class func report<Value: Sendable>(
        to completion: @escaping (Value?, (any Error)?) -> Void,
        refusals domain: String = OIDOAuthTokenErrorDomain,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        Callback(on: .main, completion: completion).report { try await self.mapping(refusals: domain, work) }
    }

    /// Runs `work` and maps any error it throws to AppAuth's domains.
    ///
    /// OAuth errors are mapped to `domain`.
    class func mapping<Value: Sendable>(
        refusals domain: String = OIDOAuthTokenErrorDomain,
        _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch {
            throw NSError.appAuth(mapping: error, domain: domain)
        }
    }
}
