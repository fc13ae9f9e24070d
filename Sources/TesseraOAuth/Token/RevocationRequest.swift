// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE

/// Revokes a token at the provider.
///
/// - SeeAlso: [RFC 7009, section 2](https://www.rfc-editor.org/rfc/rfc7009.html#section-2)
public struct RevocationRequest: Sendable {
    let endpoint: Endpoint
    let parameters: FormParameters

    /// Revokes a refresh token, and with it what was made of it.
    public static func refreshToken(_ token: Secret, at endpoint: Endpoint) -> RevocationRequest {
        Self(token, hint: "refresh_token", endpoint: endpoint)
    }

    /// Revokes an access token.
    public static func accessToken(_ token: Secret, at endpoint: Endpoint) -> RevocationRequest {
        Self(token, hint: "access_token", endpoint: endpoint)
    }

    private init(_ token: Secret, hint: String, endpoint: Endpoint) {
        var form = FormParameters()
        form.append("token", token.withUnredacted { $0 })
        form.append("token_type_hint", hint)
        self.parameters = form
        self.endpoint = endpoint
    }

    /// The request, ready to be sent.
    public func message(
        client: OAuthClient,
        supportedAuthenticationMethods methods: [String]? = nil
    ) throws(InvalidRequest) -> OAuthMessage {
        var form = self.parameters
        let authorization = try client.authentication(supported: methods).apply(to: &form, client: client)
        return .post(form, to: self.endpoint, authorization: authorization)
    }

    /// Checks the answer: 200 is a success, also for a token that the server does not know.
    ///
    /// - Throws: ``OAuthError`` or ``HTTPStatusError`` for anything else; 503 is transient.
    public func check(_ response: HTTPResponse, body: [UInt8]) throws {
        guard response.status.code == 200 else {
            throw OAuthErrorResponse.error(response, body: body, endpoint: "revocation endpoint", sent: self.parameters)
        }
    }
}
