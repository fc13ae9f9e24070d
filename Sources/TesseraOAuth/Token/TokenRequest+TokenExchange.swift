// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension TokenRequest {
    /// Exchanges a token for another one: for another API, with less power, or to act for somebody.
    ///
    /// What was issued is ``TokenResponse/issuedTokenType``, always there; where it is no access token,
    /// ``TokenResponse/tokenType`` is ``TokenType/notApplicable``. For `resource` set ``resources``.
    ///
    /// - Parameters:
    ///   - subject: on whose behalf.
    ///   - actor: who acts, where that is somebody else.
    ///   - audiences: the names of the services that the token is wanted for.
    ///   - requestedType: what kind of token is wanted.
    ///   - scopes: what is asked for.
    ///   - tokenEndpoint: where, nil for the endpoint of the metadata.
    /// - Returns: the request.
    /// - SeeAlso: [RFC 8693, section 2.1](https://www.rfc-editor.org/rfc/rfc8693.html#section-2.1)
    public static func tokenExchange(
        subject: SecurityToken,
        actor: SecurityToken? = nil,
        audiences: [String] = [],
        requestedType: TokenTypeIdentifier? = nil,
        scopes: [Scope] = [],
        at tokenEndpoint: Endpoint? = nil
    ) -> TokenRequest {
        var form = FormParameters()
        form.append("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange")
        form.append("subject_token", subject.token.withUnredacted { $0 })
        form.append("subject_token_type", subject.type.rawValue)
        form.append("actor_token", actor?.token.withUnredacted { $0 })
        form.append("actor_token_type", actor?.type.rawValue)
        form.append("requested_token_type", requestedType?.rawValue)
        for audience in audiences { form.append("audience", audience) }
        return TokenRequest(form, scopes, at: tokenEndpoint, TokenExpectation(isExchange: true))
    }
}
