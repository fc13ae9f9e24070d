// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What kind of token something is, as a URI; open, since anybody may define one.
///
/// - SeeAlso: [RFC 8693, section 3](https://www.rfc-editor.org/rfc/rfc8693.html#section-3)
public struct TokenTypeIdentifier: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The URI.
    public let rawValue: String
    /// A kind of token.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The URI, fit for a message.
    public var description: String { UntrustedText.printable(self.rawValue) }

    /// An OAuth access token, whatever its form.
    public static let accessToken = Self(rawValue: "urn:ietf:params:oauth:token-type:access_token")
    /// An OAuth refresh token.
    public static let refreshToken = Self(rawValue: "urn:ietf:params:oauth:token-type:refresh_token")
    /// An ID token of OpenID Connect.
    public static let idToken = Self(rawValue: "urn:ietf:params:oauth:token-type:id_token")
    /// A SAML 1.1 assertion in base64url.
    public static let saml1 = Self(rawValue: "urn:ietf:params:oauth:token-type:saml1")
    /// A SAML 2.0 assertion in base64url.
    public static let saml2 = Self(rawValue: "urn:ietf:params:oauth:token-type:saml2")
    /// A JWT.
    public static let jwt = Self(rawValue: "urn:ietf:params:oauth:token-type:jwt")
}
