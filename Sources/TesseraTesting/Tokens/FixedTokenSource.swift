// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraOAuth

/// A token source that always returns the same access token.
public struct FixedTokenSource: AccessTokenSource {
    /// The origins to which the token may be sent.
    public let authorizedOrigins: [OriginPattern]
    private let token: AccessToken

    /// Creates a source with a bearer token that does not expire.
    ///
    /// - Throws: `InvalidRequestError` if an origin is not valid.
    public init(_ token: String = "ya29.token", for origins: String...) throws(InvalidRequestError) {
        var patterns: [OriginPattern] = []
        for origin in origins { patterns.append(try OriginPattern(origin)) }
        self.authorizedOrigins = patterns
        self.token = AccessToken(Secret(token), expiresAt: nil)
    }

    /// Returns the token.
    public func accessToken() async throws -> AccessToken { self.token }
    /// Returns the same token because no replacement is available.
    public func replacement(forRejected token: AccessToken) async throws -> AccessToken { token }
}
