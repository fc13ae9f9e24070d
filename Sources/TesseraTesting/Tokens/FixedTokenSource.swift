// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraOAuth

/// A source of one token, which it asks nobody for, and has no better one when it is refused.
public struct FixedTokenSource: AccessTokenSource {
    /// Where the token may be sent.
    public let authorizedOrigins: [OriginPattern]
    private let token: AccessToken

    /// A source whose token is a bearer token without an end.
    ///
    /// - Throws: `InvalidRequestError` for what is no origin.
    public init(_ token: String = "ya29.token", for origins: String...) throws(InvalidRequestError) {
        var patterns: [OriginPattern] = []
        for origin in origins { patterns.append(try OriginPattern(origin)) }
        self.authorizedOrigins = patterns
        self.token = AccessToken(Secret(token), expiresAt: nil)
    }

    /// The token.
    public func accessToken() async throws -> AccessToken { self.token }
    /// The same token.
    public func refused(_ token: AccessToken) async throws -> AccessToken { token }
}
