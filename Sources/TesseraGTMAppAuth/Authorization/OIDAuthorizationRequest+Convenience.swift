// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

extension OIDAuthorizationRequest {
    /// A request of a public client, with a state, a nonce and a code challenge of its own.
    public convenience init(
        configuration: OIDServiceConfiguration,
        clientId clientID: String,
        scopes: [String]?,
        redirectURL: URL,
        responseType: String,
        additionalParameters: [String: Any]?
    ) {
        self.init(
            configuration: configuration,
            clientId: clientID,
            clientSecret: nil,
            scopes: scopes,
            redirectURL: redirectURL,
            responseType: responseType,
            additionalParameters: additionalParameters
        )
    }

    /// A request with the program's own nonce, and a state and a code challenge of its own.
    ///
    /// Without a nonce nothing binds an ID token to this attempt.
    public convenience init(
        configuration: OIDServiceConfiguration,
        clientId clientID: String,
        scopes: [String]?,
        redirectURL: URL,
        responseType: String,
        nonce: String?,
        additionalParameters: [String: Any]?
    ) {
        self.init(
            configuration,
            clientID,
            secret: nil,
            scopes: scopes,
            redirectURL: redirectURL,
            responseType: responseType,
            nonce: nonce,
            additionalParameters
        )
    }

    /// A request with a state, a nonce and a code challenge of its own, of a client that may have a secret.
    public convenience init(
        configuration: OIDServiceConfiguration,
        clientId clientID: String,
        clientSecret: String?,
        scopes: [String]?,
        redirectURL: URL,
        responseType: String,
        additionalParameters: [String: Any]?
    ) {
        self.init(
            configuration,
            clientID,
            secret: clientSecret,
            scopes: scopes,
            redirectURL: redirectURL,
            responseType: responseType,
            nonce: RandomText.make(SystemRandomBytes.make),
            additionalParameters
        )
    }

    private convenience init(
        _ configuration: OIDServiceConfiguration,
        _ clientID: String,
        secret: String?,
        scopes: [String]?,
        redirectURL: URL,
        responseType: String,
        nonce: String?,
        _ additionalParameters: [String: Any]?
    ) {
        let verifier = CodeVerifier(randomBytes: SystemRandomBytes.make)
        self.init(
            configuration: configuration,
            clientId: clientID,
            clientSecret: secret,
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
