// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension OIDAuthorizationResponse {
    /// The request that exchanges the code; nil where no code came.
    ///
    /// - SeeAlso: [RFC 6749, section 4.1.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3)
    public func tokenExchangeRequest() -> OIDTokenRequest? {
        self.tokenExchangeRequest(withAdditionalParameters: nil)
    }

    /// The request that exchanges the code, with the program's own parameters; nil where no code came.
    public func tokenExchangeRequest(
        withAdditionalParameters additionalParameters: [String: Any]?
    ) -> OIDTokenRequest? {
        self.tokenExchangeRequest(withAdditionalParameters: additionalParameters, additionalHeaders: nil)
    }

    /// The request that exchanges the code, with the program's own parameters and headers; nil where no code came.
    public func tokenExchangeRequest(
        withAdditionalParameters additionalParameters: [String: Any]?,
        additionalHeaders: [String: Any]?
    ) -> OIDTokenRequest? {
        guard let authorizationCode else { return nil }
        return OIDTokenRequest(
            configuration: self.request.configuration,
            grantType: OIDGrantTypeAuthorizationCode,
            authorizationCode: authorizationCode,
            redirectURL: self.request.redirectURL,
            clientID: self.request.clientID,
            clientSecret: self.request.clientSecret,
            scope: nil,
            refreshToken: nil,
            codeVerifier: self.request.codeVerifier,
            additionalParameters: additionalParameters,
            additionalHeaders: TextParameters.texts(additionalHeaders)
        )
    }
}
