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
        AppAuthWorld.use(AppAuthWorld(runtime: OAuthRuntime(transport: transport), insecure: insecure))
    }

    /// Asks an issuer for its configuration, in which it has to call itself as it was called.
    ///
    /// - SeeAlso: [OpenID Connect Discovery 1.0, section 4](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig)
    public class func discoverConfiguration(
        forIssuer issuerURL: URL,
        completion: @escaping (OIDServiceConfiguration?, (any Error)?) -> Void
    ) {
        self.report(to: completion) { try await self.discovered(issuerURL) }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: an `NSError` of AppAuth's domains.
    public class func discoverConfiguration(forIssuer issuerURL: URL) async throws -> OIDServiceConfiguration {
        try await self.mapping { try await self.discovered(issuerURL) }
    }

    /// Reads the configuration at a URL of the program's choice.
    ///
    /// Where the URL is that of an issuer's document, the document has to name that issuer; elsewhere it is believed.
    public class func discoverConfiguration(
        forDiscoveryURL discoveryURL: URL,
        completion: @escaping (OIDServiceConfiguration?, (any Error)?) -> Void
    ) {
        self.report(to: completion) { try await self.read(discoveryURL) }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: an `NSError` of AppAuth's domains.
    public class func discoverConfiguration(forDiscoveryURL discoveryURL: URL) async throws -> OIDServiceConfiguration {
        try await self.mapping { try await self.read(discoveryURL) }
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

    private class func discovered(_ issuer: URL) async throws -> OIDServiceConfiguration {
        let discovery = Discovery(world: try AppAuthWorld.current())
        return OIDServiceConfiguration(discoveryDocument: try await discovery.document(of: issuer))
    }

    private class func read(_ url: URL) async throws -> OIDServiceConfiguration {
        let discovery = Discovery(world: try AppAuthWorld.current())
        return OIDServiceConfiguration(discoveryDocument: try await discovery.document(at: url))
    }

    private class func exchanged(
        _ request: OIDTokenRequest,
        _ authorizationResponse: OIDAuthorizationResponse?
    ) async throws -> OIDTokenResponse {
        let access = try ProviderAccess(
            request.configuration,
            clientID: request.clientID,
            clientSecret: request.clientSecret
        )
        let receivedAt = access.world.runtime.now()
        let tokens = try await access.registeredClient().send(TokenExchange(request))
        var parameters = JSONParameters(tokens.document)
        if request.grantType == OIDGrantTypeRefreshToken, !access.canValidate {
            // Nobody signs in here, and the new tokens must not be lost: what cannot be verified is not handed on.
            parameters = parameters.others(than: ["id_token"])
        } else if let idToken = tokens.idToken {
            // Without what the code came with, nobody knows which nonce was sent.
            let sent = authorizationResponse?.request.nonce
            let received = try IDTokenClaims(unverified: idToken).nonce
            let isFromCode = request.grantType == OIDGrantTypeAuthorizationCode
            let nonce = (isFromCode ? sent : nil) ?? received
            try await access.validate(
                idToken,
                nonce: nonce.map { .equal(Secret($0)) } ?? .absent,
                accessToken: tokens.accessToken
            )
        }
        return OIDTokenResponse(
            request: request,
            parameters: parameters.dictionary,
            receivedAt: receivedAt
        )
    }
}
