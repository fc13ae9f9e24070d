// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE

/// A request to revoke a token.
///
/// - SeeAlso: [RFC 7009, section 2](https://www.rfc-editor.org/rfc/rfc7009.html#section-2)
public struct RevocationRequest: EndpointRequest {
    let endpoint: Endpoint
    let parameters: FormParameters
    /// The exchange kind for observers, ``OAuthExchange/revocation``.
    public var exchange: OAuthExchange { .revocation }

    /// Creates a request to revoke a refresh token along with any tokens that were issued for it.
    public static func refreshToken(_ token: Secret, at endpoint: Endpoint) -> RevocationRequest {
        Self(token, hint: "refresh_token", endpoint: endpoint)
    }

    /// Creates a request to revoke an access token.
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

    /// Returns the message to send.
    public func message(for client: RegisteredClient) throws -> OAuthMessage {
        try client.post(
            self.parameters,
            to: self.endpoint,
            methods: client.metadata.revocationEndpointAuthMethodsSupported
        )
    }

    /// Checks the response.
    ///
    /// Status 200 means success, even if the server does not know the token. Google responds with the error
    /// `invalid_token` if it does not, which also means that the token is not valid.
    ///
    /// - Throws: ``OAuthError`` or ``HTTPStatusError`` for any other status. Status 503 indicates a temporary failure.
    public func decode(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws {
        do {
            try ErrorResponseParser.check(response, body: body, endpoint: "revocation endpoint", sent: self.parameters)
        } catch let error as OAuthError where error.code.rawValue == "invalid_token" {}
    }
}
