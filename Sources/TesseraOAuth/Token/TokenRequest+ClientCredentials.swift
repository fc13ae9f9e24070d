// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension TokenRequest {
    /// Asks for an access token for the client itself, with no person behind it.
    ///
    /// Only for clients that can prove who they are. There is no refresh token: ask again.
    ///
    /// - Parameters:
    ///   - scopes: what is asked for; empty leaves it to the provider.
    ///   - tokenEndpoint: where, nil for the endpoint of the metadata.
    /// - Returns: the request.
    /// - SeeAlso: [RFC 6749, section 4.4](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.4)
    public static func clientCredentials(scopes: [Scope] = [], at tokenEndpoint: Endpoint? = nil) -> TokenRequest {
        TokenRequest("client_credentials", [:], scopes: scopes, at: tokenEndpoint)
    }
}
