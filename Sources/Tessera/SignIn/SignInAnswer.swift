// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
public import TesseraOAuth

/// What an app has after a consent in which its server took part: a session of its own, and what it sends the server.
///
/// What is for the server is kept nowhere: send it at once, over TLS.
public struct SignInAnswer: Sendable {
    /// The app's session, saved.
    public let session: OAuthSession
    /// The provider's answer, with members that nobody keeps.
    package let tokens: TokenResponse

    /// The code with which the server gets tokens of its own, once (``SignIn/redeem(_:of:scopes:options:)``); nil where
    /// the provider gave none.
    public var serverAuthCode: Secret? { self.tokens.document["server_code"]?.string.map { Secret($0) } }
    /// Who consented, made out to the server (``SignIn/verify(_:fromApps:nonce:)``).
    public var idToken: Secret? { self.tokens.idToken }
}
