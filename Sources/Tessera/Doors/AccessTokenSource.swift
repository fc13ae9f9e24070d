// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What an authorized call needs: a token, another one when it was refused, and where it may be sent.
///
/// ``OAuthSession`` is one. Any number of tasks may call at once.
public protocol AccessTokenSource: Sendable {
    /// Where the token may be sent; anywhere else a call is refused before a token is read.
    var authorizedOrigins: [OriginPattern] { get }

    /// A token that is valid now, as far as is known.
    func accessToken() async throws -> AccessToken

    /// Another token in place of one that a server refused with 401.
    ///
    /// Refreshes only when `token` is still the current one; whoever comes later with the same refused token gets the
    /// new one. Returns `token` itself when there is nothing better.
    func refused(_ token: AccessToken) async throws -> AccessToken
}
