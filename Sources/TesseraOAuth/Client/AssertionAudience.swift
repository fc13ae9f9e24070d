// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Whom a client's assertion is for: the `aud` of `private_key_jwt` and `client_secret_jwt`, always one string.
///
/// RFC 7523 leaves it to the server, OpenID Connect Core recommends the token endpoint's URL, FAPI 2.0 demands the issuer.
/// Choose another than ``issuer`` only where a provider refuses it.
///
/// - SeeAlso: [RFC 7523, section 3, point 3](https://www.rfc-editor.org/rfc/rfc7523.html#section-3),
///   [OpenID Connect Core 1.0, section 9](https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication),
///   [FAPI 2.0 Security Profile, section 5.3.3.1](https://openid.net/specs/fapi-security-profile-2_0-final.html)
public enum AssertionAudience: String, Sendable, Hashable, CaseIterable {
    /// The issuer identifier of the server, which was checked when its metadata was read.
    ///
    /// No other server can use such an assertion.
    case issuer
    /// The URL that the request really goes to, at every endpoint its own: an alias for clients with a certificate, where
    /// that is called, and never the token endpoint's at another endpoint.
    ///
    /// An issuer is proved, a URL is not: a malicious server may name an endpoint of another one as its own. A client that is
    /// known to both by one name and one key then makes assertions for the malicious one that the other takes. So
    /// have a key of its own for each provider with this audience.
    case endpoint
}
