// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE

/// Revokes a token at the provider.
///
/// - SeeAlso: [RFC 7009, section 2](https://www.rfc-editor.org/rfc/rfc7009.html#section-2)
public struct RevocationRequest: EndpointRequest {
    let endpoint: Endpoint
    let parameters: FormParameters
    /// A revocation.
    public var exchange: OAuthExchange { .revocation }

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
    public func message(for client: RegisteredClient) throws -> OAuthMessage {
        try client.post(
            self.parameters,
            to: self.endpoint,
            methods: client.metadata.revocationEndpointAuthMethodsSupported
        )
    }

    /// Checks the answer: 200 is a success, also for a token that the server does not know.
    ///
    /// - Throws: ``OAuthError`` or ``HTTPStatusError`` for anything else; 503 is transient.
    public func answer(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws {
        try OAuthErrorResponse.check(response, body: body, endpoint: "revocation endpoint", sent: self.parameters)
    }
}
