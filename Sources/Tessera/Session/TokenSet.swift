// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraOAuth

/// The tokens of a session at one moment.
public struct TokenSet: Sendable, Hashable {
    /// The access token.
    public var accessToken: Secret
    /// Its type.
    public var tokenType: TokenType
    /// When it was obtained, by the wall clock of the machine that did.
    public var obtainedAt: Date
    /// Its lifetime in seconds, nil where the provider does not say.
    public var lifetime: Int64?
    /// The refresh token, nil where the provider gave none.
    public var refreshToken: Secret?
    /// The newest ID token, validated before it came here.
    public var idToken: Secret?

    /// A set of tokens.
    public init(
        accessToken: Secret,
        tokenType: TokenType = .bearer,
        obtainedAt: Date,
        lifetime: Int64?,
        refreshToken: Secret?,
        idToken: Secret?
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.obtainedAt = obtainedAt
        self.lifetime = lifetime
        self.refreshToken = refreshToken
        self.idToken = idToken
    }

    /// When the access token ends, nil where the provider does not say.
    public var expiresAt: Date? { self.lifetime.map { self.obtainedAt.addingTimeInterval(Double($0)) } }
}

extension TokenSet {
    /// The access token of a response, alone.
    init(_ response: TokenResponse, obtainedAt: Date) {
        self.init(
            accessToken: response.accessToken,
            tokenType: response.tokenType,
            obtainedAt: obtainedAt,
            lifetime: response.expiresIn,
            refreshToken: nil,
            idToken: nil
        )
    }
}
