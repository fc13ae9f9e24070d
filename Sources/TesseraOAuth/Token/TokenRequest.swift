// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// A request to the token endpoint.
///
/// - SeeAlso: [RFC 6749, sections 4.1.3 and 6](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3)
public struct TokenRequest: Sendable {
    let endpoint: Endpoint
    let parameters: FormParameters
    /// What the answer has to fit.
    let expectation: TokenExpectation

    /// Exchanges a code, at the token endpoint of the provider that its attempt asked, with the attempt's own redirect
    /// URI and verifier.
    ///
    /// A code is used once: after a failure, start a new attempt.
    public static func authorizationCode(_ response: AuthorizationResponse) -> TokenRequest {
        var form = FormParameters()
        form.append("grant_type", "authorization_code")
        form.append("code", response.code.withUnredacted { $0 })
        form.append("redirect_uri", response.binding.redirectURI.uri)
        form.append("code_verifier", response.binding.codeVerifier.secret.withUnredacted { $0 })
        return TokenRequest(
            endpoint: response.binding.tokenEndpoint,
            parameters: form,
            expectation: TokenExpectation(idTokenRequired: response.request.asksForIDToken)
        )
    }

    /// Exchanges a refresh token for fresh tokens.
    ///
    /// No `scope` is sent: the answer then has what was granted, and nothing that was not is asked for again.
    public static func refresh(_ refreshToken: Secret, at tokenEndpoint: Endpoint) -> TokenRequest {
        var form = FormParameters()
        form.append("grant_type", "refresh_token")
        form.append("refresh_token", refreshToken.withUnredacted { $0 })
        return TokenRequest(
            endpoint: tokenEndpoint,
            parameters: form,
            expectation: TokenExpectation(idTokenRequired: false)
        )
    }

    /// The request, ready to be sent, with the client's proof: `method` or what the client chooses.
    ///
    /// - Throws: ``InvalidRequest`` when the method needs a secret that the client does not have.
    public func message(
        client: OAuthClient,
        supportedAuthenticationMethods methods: [String]? = nil
    ) throws(InvalidRequest) -> OAuthMessage {
        var form = self.parameters
        let authorization = try client.authentication(supported: methods).apply(to: &form, client: client)
        return .post(form, to: self.endpoint, authorization: authorization)
    }
}

/// What the answer to a token request has to bring.
struct TokenExpectation: Sendable {
    let idTokenRequired: Bool
}
