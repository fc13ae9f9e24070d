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
    public var isFormPost: Bool { self == .formPost || self == .formPostJWT }
    /// Whether the answer is a signed token.
    public var isJWT: Bool { [.jwt, .queryJWT, .formPostJWT].contains(self) }
}
