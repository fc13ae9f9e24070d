// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
public import Foundation
public import TesseraOAuth

/// Sends the requests with AppAuth's names.
///
/// Completion handlers are called once, later, on the main queue. Errors are those of AppAuth's domains.
open class OIDAuthorizationService: NSObject {
    /// Sends everything from now on through a transport of the program's: what `OIDURLSessionProvider` is in AppAuth.
    ///
    /// - Parameters:
    ///   - transport: the network.
    ///   - insecure: what is permitted beyond https; endpoints of plain http are refused without it.
    public class func use(transport: any HTTPTransport, permitting insecure: Insecure = []) {
        AppAuthEnvironment.use(AppAuthEnvironment(runtime: OAuthRuntime(transport: transport), insecure: insecure))
    }

    /// Asks an issuer for its configuration, in which it has to call itself as it was called.
    ///
    /// - SeeAlso: [OpenID Connect Discovery 1.0, section 4](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig)
    public class func discoverConfiguration(
        forIssuer issuerURL: URL,
        completion: @escaping (OIDServiceConfiguration?, (any Error)?) -> Void
    ) {
        self.report(to: completion) { try await self.configuration(of: issuerURL) }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: an `NSError` of AppAuth's domains.
    public class func discoverConfiguration(forIssuer issuerURL: URL) async throws -> OIDServiceConfiguration {
        try await self.mapping { try await self.configuration(of: issuerURL) }
    }

    /// Reads the configuration at a URL of the program's choice.
    ///
    /// Where the URL is that of an issuer's document, the document has to name that issuer; elsewhere it is believed.
    public class func discoverConfiguration(
        forDiscoveryURL discoveryURL: URL,
        completion: @escaping (OIDServiceConfiguration?, (any Error)?) -> Void
    ) {
        self.report(to: completion) { try await self.configuration(at: discoveryURL) }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: an `NSError` of AppAuth's domains.
    public class func discoverConfiguration(forDiscoveryURL discoveryURL: URL) async throws -> OIDServiceConfiguration {
        try await self.mapping { try await self.configuration(at: discoveryURL) }
    }

    /// Exchanges a code, a refresh token or anything else for tokens.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - authorizationResponse: what the code came with: its request's nonce has to be in the ID token then.
    ///   - callback: gets the response, whose ID token is verified, signature included; or an error.
    public class func perform(
        _ request: OIDTokenRequest,
        originalAuthorizationResponse authorizationResponse: OIDAuthorizationResponse? = nil,
        callback: @escaping (OIDTokenResponse?, (any Error)?) -> Void
    ) {
        self.report(to: callback) { try await self.exchanged(request, authorizationResponse) }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: an `NSError` of AppAuth's domains.
    public class func perform(
        _ request: OIDTokenRequest,
        originalAuthorizationResponse authorizationResponse: OIDAuthorizationResponse? = nil
    ) async throws -> OIDTokenResponse {
        try await self.mapping { try await self.exchanged(request, authorizationResponse) }
    }

    /// Registers the program with a provider.
    ///
    /// - Parameters:
    ///   - request: what is registered.
    ///   - completion: gets the registration, or an error: of `OIDOAuthRegistrationErrorDomain` if the provider
    ///     rejected the request.
    /// - SeeAlso: [RFC 7591, section 3](https://www.rfc-editor.org/rfc/rfc7591.html#section-3)
    public class func perform(
        _ request: OIDRegistrationRequest,
        completion: @escaping (OIDRegistrationResponse?, (any Error)?) -> Void
    ) {
        self.report(to: completion, refusals: OIDOAuthRegistrationErrorDomain) { try await self.registered(request) }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: an `NSError` of AppAuth's domains.
    public class func perform(_ request: OIDRegistrationRequest) async throws -> OIDRegistrationResponse {
        try await self.mapping(refusals: OIDOAuthRegistrationErrorDomain) { try await self.registered(request) }
    }
}

extension OIDAuthorizationService {
    /// Does `work` in a task of its own, and calls the handler on the main queue.
    class func report<Value: Sendable>(
        to completion: @escaping (Value?, (any Error)?) -> Void,
        refusals domain: String = OIDOAuthTokenErrorDomain,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        Callback(on: .main, completion: completion).report { try await self.mapping(refusals: domain, work) }
    }

    /// Does `work`; what it throws is an `NSError` of AppAuth's domains then, a refusal of `domain`.
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
