// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

extension OIDAuthorizationRequest: OIDExternalUserAgentRequest {
    /// The page that asks the person.
    ///
    /// The query of the authorization endpoint is kept; no parameter is there twice, and the request's own come before
    /// the program's.
    ///
    /// - SeeAlso: [RFC 6749, section 3.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.1)
    public func authorizationRequestURL() -> URL {
        let form = FormParameters(
            [
                "response_type": self.responseType, "client_id": self.clientID,
                "redirect_uri": self.redirectURL?.absoluteString, "scope": self.scope, "state": self.state,
                "nonce": self.nonce, "code_challenge": self.codeChallenge,
                "code_challenge_method": self.codeChallengeMethod,
            ],
            additional: self.additionalParameters
        )
        return self.configuration.authorizationEndpoint.adding(form)
    }

    /// The same as ``authorizationRequestURL()``; never nil.
    public func externalUserAgentRequestURL() -> URL! { self.authorizationRequestURL() }

    /// The scheme of the redirect URL; nil without one.
    public func redirectScheme() -> String! { self.redirectURL?.scheme }
}

extension OIDAuthorizationRequest {
    /// A state that nobody guesses: 32 random bytes, 43 characters; never nil.
    public class func generateState() -> String? { RandomText.make(SystemRandomBytes.make) }

    /// A code verifier: 32 random bytes, 43 characters; never nil.
    ///
    /// - SeeAlso: [RFC 7636, section 4.1](https://www.rfc-editor.org/rfc/rfc7636.html#section-4.1)
    public class func generateCodeVerifier() -> String? { RandomText.make(SystemRandomBytes.make) }

    /// The challenge for a verifier: the base64url text of its SHA-256; nil for nil.
    ///
    /// - SeeAlso: [RFC 7636, section 4.2](https://www.rfc-editor.org/rfc/rfc7636.html#section-4.2)
    public class func codeChallengeS256(forVerifier codeVerifier: String?) -> String? {
        codeVerifier.map { CodeVerifier(Secret($0)).codeChallenge }
    }
}

extension OIDAuthorizationRequest {
    /// Creates a request with a generated state and code challenge.
    ///
    /// - Parameters:
    ///   - configuration: The provider's endpoints.
    ///   - clientID: The client.
    ///   - clientSecret: The client's secret, or nil for a public client.
    ///   - scopes: The scopes to request.
    ///   - redirectURL: Where the provider redirects to.
    ///   - responseType: The response type, such as ``OIDResponseTypeCode``.
    ///   - nonce: Defaults to a generated nonce. Without a nonce nothing binds an ID token to this request.
    ///   - additionalParameters: More parameters: strings, numbers, booleans and URLs.
    public convenience init(
        configuration: OIDServiceConfiguration,
        clientId clientID: String,
        clientSecret: String? = nil,
        scopes: [String]?,
        redirectURL: URL,
        responseType: String,
        nonce: String? = OIDAuthorizationRequest.generateState(),
        additionalParameters: [String: Any]?
    ) {
        let verifier = CodeVerifier(randomBytes: SystemRandomBytes.make)
        self.init(
            configuration: configuration,
            clientId: clientID,
            clientSecret: clientSecret,
            scope: ScopeText.joined(scopes),
            redirectURL: redirectURL,
            responseType: responseType,
            state: RandomText.make(SystemRandomBytes.make),
            nonce: nonce,
            codeVerifier: verifier.secret.withUnredacted { $0 },
            codeChallenge: verifier.codeChallenge,
            codeChallengeMethod: OIDOAuthorizationRequestCodeChallengeMethodS256,
            additionalParameters: additionalParameters
        )
    }
}
