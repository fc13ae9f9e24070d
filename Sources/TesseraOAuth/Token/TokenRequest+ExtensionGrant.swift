// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension TokenRequest {
    /// Asks by a grant that this module does not know.
    ///
    /// The answer is judged as that of every other token request. A parameter may be there more than once.
    ///
    /// - Parameters:
    ///   - grantType: the grant's absolute URI.
    ///   - parameters: what the grant is asked with; not `scope`, `resource` and the client's proof.
    ///   - scopes: what is asked for.
    ///   - tokenEndpoint: where, nil for the endpoint of the metadata.
    /// - Returns: the request.
    /// - Throws: ``InvalidRequestError`` for a grant type that is no absolute URI, and for a parameter that is not the
    ///   caller's to write.
    /// - SeeAlso: [RFC 6749, section 4.5](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.5)
    public static func extensionGrant(
        _ grantType: String,
        parameters: KeyValuePairs<String, String>,
        scopes: [Scope] = [],
        at tokenEndpoint: Endpoint? = nil
    ) throws(InvalidRequestError) -> TokenRequest {
        guard URIParts(grantType) != nil else {
            throw InvalidRequestError("grant_type", reason: "an extension grant is named by an absolute URI")
        }
        var form = FormParameters()
        form.append("grant_type", grantType)
        try form.append(additional: parameters)
        return TokenRequest(form, scopes, at: tokenEndpoint)
    }
}
