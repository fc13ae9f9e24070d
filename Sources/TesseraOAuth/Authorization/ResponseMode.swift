// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// How the authorization endpoint's answer comes back.
///
/// - SeeAlso: [OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1](https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#ResponseModes),
///   [OAuth 2.0 Form Post Response Mode](https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html),
///   [JARM, section 2.3](https://openid.net/specs/oauth-v2-jarm-final.html#section-2.3)
public enum ResponseMode: String, Sendable, Hashable, CaseIterable {
    /// In the query of the redirect URI: what a code has without being asked for.
    case query
    /// In the fragment of the redirect URI, which browsers keep to themselves: no server sees it.
    case fragment
    /// As a form that the provider's page posts to the redirect URI.
    case formPost = "form_post"
    /// Signed, in the query.
    case jwt
    /// Signed, in the query.
    case queryJWT = "query.jwt"
    /// Signed, as a form that the provider's page posts to the redirect URI.
    case formPostJWT = "form_post.jwt"

    /// Whether the answer is posted to the redirect URI.
    package var isFormPost: Bool { self == .formPost || self == .formPostJWT }
    /// Whether the answer is a signed token.
    package var isJWT: Bool { [.jwt, .queryJWT, .formPostJWT].contains(self) }
}

/// What the authorization endpoint gives: always a code, never an access token.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 3](https://openid.net/specs/openid-connect-core-1_0.html#Authentication)
public enum ResponseType: String, Sendable, Hashable {
    /// A code.
    case code
    /// A code, and an ID token beside it that tells who answers before the code is used: the hybrid flow.
    case codeIDToken = "code id_token"

    /// How the answer comes when no ``ResponseMode`` is asked for.
    package var usualResponseMode: ResponseMode {
        switch self {
        case .code: .query
        case .codeIDToken: .fragment
        }
    }
}
