// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The mechanism that the provider uses to return an authorization response.
///
/// - SeeAlso: [OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1](https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#ResponseModes),
///   [OAuth 2.0 Form Post Response Mode](https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html),
///   [JARM, section 2.3](https://openid.net/specs/oauth-v2-jarm-final.html#section-2.3)
public enum ResponseMode: String, Sendable, Hashable, CaseIterable {
    /// The query of the redirect URI, which is the default for a code.
    case query
    /// The fragment of the redirect URI, which browsers do not send to servers.
    case fragment
    /// A form that the provider's page posts to the redirect URI.
    case formPost = "form_post"
    /// A signed JWT in the query, which is the JARM default for a code.
    case jwt
    /// A signed JWT in the query.
    case queryJWT = "query.jwt"
    /// A signed JWT in a form that the provider's page posts to the redirect URI.
    case formPostJWT = "form_post.jwt"

    /// Whether the response is posted to the redirect URI.
    package var isFormPost: Bool { self == .formPost || self == .formPostJWT }
    /// Whether the response is a signed JWT.
    package var isJWT: Bool { [.jwt, .queryJWT, .formPostJWT].contains(self) }
}

/// The values that the authorization endpoint returns, which always include a code and never an access token.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 3](https://openid.net/specs/openid-connect-core-1_0.html#Authentication)
public enum ResponseType: String, Sendable, Hashable {
    /// An authorization code.
    case code
    /// An authorization code and an ID token, as in the hybrid flow.
    ///
    /// The ID token authenticates the provider before the code is used.
    case codeIDToken = "code id_token"

    /// The response mode for a request that does not specify one.
    package var defaultResponseMode: ResponseMode {
        switch self {
        case .code: .query
        case .codeIDToken: .fragment
        }
    }
}
