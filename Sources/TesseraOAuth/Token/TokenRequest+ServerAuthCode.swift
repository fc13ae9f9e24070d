// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension TokenRequest {
    /// Exchanges a code that an app got for this client, the one of the program's server.
    ///
    /// The answer has to bring an ID token: nobody here saw who consented. A code is used once: after a failure the app
    /// asks for a new one.
    ///
    /// - SeeAlso: [RFC 6749, section 4.1.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3)
    public static func serverAuthCode(_ code: ServerAuthCode) -> TokenRequest {
        var form = FormParameters()
        form.append("grant_type", "authorization_code")
        form.append("code", code.code.withUnredacted { $0 })
        form.append("redirect_uri", code.redirectURI)
        form.append("code_verifier", code.codeVerifier?.withUnredacted { $0 })
        return TokenRequest(form, [], at: nil, TokenExpectation(idTokenRequired: true))
    }
}
