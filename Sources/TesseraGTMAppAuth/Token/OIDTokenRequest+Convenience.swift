// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

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
