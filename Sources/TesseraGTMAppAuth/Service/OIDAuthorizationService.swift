// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
public import Foundation
internal import TesseraJOSE
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
        AppAuthWorld.use(AppAuthWorld(runtime: OAuthRuntime(transport: transport), insecure: insecure))
    }

    /// Asks an issuer for its configuration, in which it has to call itself as it was called.
    ///
    /// - SeeAlso: [OpenID Connect Discovery 1.0, section 4](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig)
    public class func discoverConfiguration(
        forIssuer issuerURL: URL,
        completion: @escaping (OIDServiceConfiguration?, (any Error)?) -> Void
    ) {
        self.report(to: completion) { try await Discovery().configuration(of: issuerURL) }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: an `NSError` of AppAuth's domains.
    public class func discoverConfiguration(forIssuer issuerURL: URL) async throws -> OIDServiceConfiguration {
        try await self.mapping { try await Discovery().configuration(of: issuerURL) }
    }

    /// Reads the configuration at a URL of the program's choice.
    ///
    /// Where the URL is that of an issuer's document, the document has to name that issuer; elsewhere it is believed.
    public class func discoverConfiguration(
        forDiscoveryURL discoveryURL: URL,
        completion: @escaping (OIDServiceConfiguration?, (any Error)?) -> Void
    ) {
        self.report(to: completion) { try await Discovery().configuration(at: discoveryURL) }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: an `NSError` of AppAuth's domains.
    public class func discoverConfiguration(forDiscoveryURL discoveryURL: URL) async throws -> OIDServiceConfiguration {
        try await self.mapping { try await Discovery().configuration(at: discoveryURL) }
    }

    /// Exchanges a code, a refresh token or anything else for tokens.
    ///
    /// - Parameters:
    ///   - request: what is asked.
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

    /// Refreshes tokens.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - idToken: the ID token from before, which the new one has to fit.
    /// - Returns: the response, and what is wrong with its ID token.
    /// - Throws: an `NSError` of AppAuth's domains.
    class func refresh(_ request: OIDTokenRequest, after idToken: String?) async throws -> ExchangedTokens {
        try await self.mapping { try await self.exchange(request, nil, after: idToken) }
    }

    private class func exchanged(
        _ request: OIDTokenRequest,
        _ authorizationResponse: OIDAuthorizationResponse?
    ) async throws -> OIDTokenResponse {
        let tokens = try await self.exchange(request, authorizationResponse, after: nil)
        if let violation = tokens.violation { throw violation }
        return tokens.response
    }

    private class func exchange(
        _ request: OIDTokenRequest,
        _ authorizationResponse: OIDAuthorizationResponse?,
        after before: String?
    ) async throws -> ExchangedTokens {
        let access = try ProviderAccess(
            request.configuration,
            clientID: request.clientID,
            clientSecret: request.clientSecret
        )
        let receivedAt = access.world.runtime.now()
        let tokens = try await access.registeredClient().send(TokenExchange(request))
        var parameters = JSONParameters(tokens.document)
        var violation: ProtocolViolationError?
        do {
            if let idToken = tokens.idToken {
                let before = before.flatMap { try? IDTokenClaims(unverified: Secret($0)) }
                let nonce = try self.nonce(idToken, request, authorizationResponse, after: before)
                try await access.validate(idToken, nonce: nonce, accessToken: tokens.accessToken, after: before)
            }
        } catch  where request.grantType == OIDGrantTypeRefreshToken {
            // Nobody signs in here, and the new tokens must not be lost, also where it is not known who signs ID tokens, or
            // the keys are out of reach: what is not verified is not handed on.
            parameters = parameters.others(than: ["id_token"])
            violation = access.canValidate ? error as? ProtocolViolationError : nil
        }
        return ExchangedTokens(
            response: OIDTokenResponse(request: request, parameters: parameters.dictionary, receivedAt: receivedAt),
            violation: violation
        )
    }

    /// The nonce that an ID token has to have.
    private class func nonce(
        _ idToken: Secret,
        _ request: OIDTokenRequest,
        _ authorizationResponse: OIDAuthorizationResponse?,
        after before: IDTokenClaims?
    ) throws -> IDTokenPolicy.NonceRule {
        // OpenID Connect Core 1.0, section 12.2: the nonce of the first ID token, or none.
        if let before { return .absentOrEqual(before.nonce.map { Secret($0) }) }
        // Without the authorization response, the nonce that was sent is unknown.
        let isFromCode = request.grantType == OIDGrantTypeAuthorizationCode
        let sent = isFromCode ? authorizationResponse?.request.nonce : nil
        let nonce = try sent ?? IDTokenClaims(unverified: idToken).nonce
        return nonce.map { .equal(Secret($0)) } ?? .absent
    }
}

/// What a token endpoint responded.
struct ExchangedTokens: Sendable {
    /// Without an ID token that broke a rule.
    let response: OIDTokenResponse
    /// The rule that the ID token of a refresh broke.
    let violation: ProtocolViolationError?
}
