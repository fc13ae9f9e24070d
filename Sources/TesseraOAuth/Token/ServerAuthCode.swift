// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A code that an app got for its program's server, in the app's own sign-in; good once, for the server's client alone.
///
/// GoogleSignIn calls it `serverAuthCode`.
///
/// - SeeAlso: [RFC 6749, section 4.1.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3)
public struct ServerAuthCode: Sendable, Hashable {
    /// `code`.
    public var code: Secret
    /// `redirect_uri`: empty for a code that no redirect brought, `postmessage` for one that a page's script got.
    public var redirectURI: String
    /// `code_verifier`, where the app sent a challenge for this code; nil where it did not.
    public var codeVerifier: Secret?

    /// A code; without a redirect URI and without a verifier, as Google's libraries for apps give it.
    public init(_ code: Secret, redirectURI: String = "", codeVerifier: Secret? = nil) {
        self.code = code
        self.redirectURI = redirectURI
        self.codeVerifier = codeVerifier
    }
}
