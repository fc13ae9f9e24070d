// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension TokenRequest {
    /// Exchanges a signed assertion for an access token: a service account's, or a token of a provider that this one
    /// trusts.
    ///
    /// - Parameters:
    ///   - assertion: the assertion, as ``TokenAssertion/signed(by:runtime:)`` makes it.
    ///   - scopes: what is asked for, where the provider does not read it in the assertion.
    ///   - identifiesClient: whether the client names and proves itself beside the assertion; false for the service
    ///     accounts that are no clients (Google).
    ///   - tokenEndpoint: where, nil for the endpoint of the metadata.
    /// - Returns: the request.
    /// - SeeAlso: [RFC 7523, section 2.1](https://www.rfc-editor.org/rfc/rfc7523.html#section-2.1)
    public static func jwtBearer(
        assertion: Secret,
        scopes: [Scope] = [],
        identifiesClient: Bool = true,
        at tokenEndpoint: Endpoint? = nil
    ) -> TokenRequest {
        TokenRequest(
            "urn:ietf:params:oauth:grant-type:jwt-bearer",
            ["assertion": assertion],
            scopes: scopes,
            at: tokenEndpoint,
            identifiesClient: identifiesClient
        )
    }
}
