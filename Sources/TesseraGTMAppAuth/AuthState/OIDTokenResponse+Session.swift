// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraOAuth

extension OIDTokenResponse {
    /// A session's tokens as the answer that they came with; nil where it has none.
    convenience init?(_ record: SessionRecord) {
        guard let tokens = record.tokens, let configuration = OIDServiceConfiguration(record.provider) else {
            return nil
        }
        let request = OIDTokenRequest(
            configuration: configuration,
            grantType: OIDGrantTypeRefreshToken,
            authorizationCode: nil,
            redirectURL: nil,
            clientID: record.account.clientID,
            clientSecret: nil,
            scope: nil,
            refreshToken: nil,
            codeVerifier: nil,
            additionalParameters: nil
        )
        var parameters: [String: Any] = [
            "access_token": tokens.accessToken.withUnredacted { $0 },
            "token_type": tokens.tokenType.rawValue,
        ]
        parameters["scope"] = ScopeText.joined(record.grant.granted.map(\.rawValue))
        parameters["expires_in"] = tokens.lifetime
        parameters["refresh_token"] = tokens.refreshToken?.withUnredacted { $0 }
        parameters["id_token"] = tokens.idToken?.withUnredacted { $0 }
        self.init(request: request, parameters: parameters, receivedAt: tokens.obtainedAt)
    }
}
