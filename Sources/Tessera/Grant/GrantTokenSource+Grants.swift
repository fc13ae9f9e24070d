// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Logging
public import TesseraJOSE
public import TesseraOAuth

extension GrantTokenSource {
    /// Tokens for the program itself, by its own credentials.
    ///
    /// - Parameters:
    ///   - provider: the provider, with a client that can prove who it is.
    ///   - scopes: what is asked for; empty leaves it to the provider.
    ///   - resources: the APIs that the tokens are wanted for, at providers that know RFC 8707.
    ///   - runtime: the network and the clocks.
    ///   - authorizedOrigins: where the tokens may be sent; nil takes the provider's.
    ///   - logger: what requests are noted in, without secrets.
    /// - Returns: the source; make one and keep it.
    /// - SeeAlso: [RFC 6749, section 4.4](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.4)
    public static func clientCredentials(
        _ provider: Provider,
        scopes: [Scope] = [],
        resources: [String] = [],
        runtime: OAuthRuntime,
        authorizedOrigins: [OriginPattern]? = nil,
        logger: Logger = Logger(label: "tessera")
    ) -> GrantTokenSource {
        GrantTokenSource(provider, runtime: runtime, authorizedOrigins: authorizedOrigins, logger: logger) { _ in
            var request = TokenRequest.clientCredentials(scopes: scopes)
            request.resources = resources
            return request
        }
    }

    /// Tokens by an assertion that is signed anew for each: a service account's.
    ///
    /// - Parameters:
    ///   - provider: the provider.
    ///   - assertion: what is stated.
    ///   - key: the private key of the assertion's issuer.
    ///   - scopes: what is asked for, where the provider does not read it in the assertion.
    ///   - identifiesClient: whether the provider's client names and proves itself beside the assertion.
    ///   - runtime: the network and the clocks.
    ///   - authorizedOrigins: where the tokens may be sent; nil takes the provider's.
    ///   - logger: what requests are noted in, without secrets.
    /// - Returns: the source; make one and keep it.
    /// - SeeAlso: [RFC 7523, section 2.1](https://www.rfc-editor.org/rfc/rfc7523.html#section-2.1)
    public static func jwtBearer(
        _ provider: Provider,
        assertion: TokenAssertion,
        signedBy key: JWSSigningKey,
        scopes: [Scope] = [],
        identifiesClient: Bool = false,
        runtime: OAuthRuntime,
        authorizedOrigins: [OriginPattern]? = nil,
        logger: Logger = Logger(label: "tessera")
    ) -> GrantTokenSource {
        GrantTokenSource(provider, runtime: runtime, authorizedOrigins: authorizedOrigins, logger: logger) { client in
            .jwtBearer(
                assertion: try assertion.signed(by: key, runtime: client.runtime),
                scopes: scopes,
                identifiesClient: identifiesClient
            )
        }
    }
}
