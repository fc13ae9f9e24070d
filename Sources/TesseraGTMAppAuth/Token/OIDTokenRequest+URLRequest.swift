// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation
internal import HTTPTypes
internal import TesseraOAuth

extension OIDTokenRequest {
    /// The request as it is sent: a POST with a form.
    ///
    /// A client with a secret proves itself by HTTP Basic (RFC 6749, section 2.3.1), one without names itself in the form.
    /// No parameter is there twice, and the request's own come before the program's. The program's headers do not replace
    /// `Content-Type`, nor `Authorization` where there is a secret; one that no header can be is left out.
    ///
    /// - SeeAlso: [RFC 6749, section 4.1.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3)
    public func urlRequest() -> URLRequest {
        var request = URLRequest(url: self.configuration.tokenEndpoint)
        request.httpMethod = "POST"
        request.httpBody = Data(self.form.encoded.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        // By name: which of two spellings of one name is sent has not to be chance.
        for (name, value) in (self.additionalHeaders ?? [:]).sorted(by: { $0.key < $1.key }) {
            // A line break in a header would begin another one.
            guard HTTPField.Name(name) != nil, HTTPField.isValidValue(value) else { continue }
            request.setValue(value, forHTTPHeaderField: name)
        }
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        if let clientSecret {
            let credentials = ClientAuthentication.basic(clientID: self.clientID, secret: Secret(clientSecret))
            request.setValue(credentials.withUnredacted { $0 }, forHTTPHeaderField: "Authorization")
        }
        return request
    }

    /// The parameters, in the order of sending.
    var form: FormParameters {
        FormParameters(
            [
                "grant_type": self.grantType, "scope": self.scope, "redirect_uri": self.redirectURL?.absoluteString,
                "refresh_token": self.refreshToken, "code": self.authorizationCode, "code_verifier": self.codeVerifier,
                "client_id": self.clientSecret == nil ? self.clientID : nil,
            ],
            additional: self.additionalParameters
        )
    }
}

extension OIDTokenRequest {
    /// A request for the scopes of a list.
    public convenience init(
        configuration: OIDServiceConfiguration,
        grantType: String,
        authorizationCode: String?,
        redirectURL: URL?,
        clientID: String,
        clientSecret: String?,
        scopes: [String]?,
        refreshToken: String?,
        codeVerifier: String?,
        additionalParameters: [String: Any]?,
        additionalHeaders: [String: String]? = nil
    ) {
        self.init(
            configuration: configuration,
            grantType: grantType,
            authorizationCode: authorizationCode,
            redirectURL: redirectURL,
            clientID: clientID,
            clientSecret: clientSecret,
            scope: ScopeText.joined(scopes),
            refreshToken: refreshToken,
            codeVerifier: codeVerifier,
            additionalParameters: additionalParameters,
            additionalHeaders: additionalHeaders
        )
    }
}
