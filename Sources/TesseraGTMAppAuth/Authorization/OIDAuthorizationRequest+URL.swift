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
        var form = FormParameters()
        form.append("response_type", self.responseType)
        form.append("client_id", self.clientID)
        form.append("redirect_uri", self.redirectURL?.absoluteString)
        form.append("scope", self.scope)
        form.append("state", self.state)
        form.append("nonce", self.nonce)
        form.append("code_challenge", self.codeChallenge)
        form.append("code_challenge_method", self.codeChallengeMethod)
        form.append(additional: self.additionalParameters)
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
