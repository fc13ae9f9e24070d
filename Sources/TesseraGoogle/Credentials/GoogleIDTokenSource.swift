// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraOAuth

/// The ID tokens of a service account for an audience, as a source of tokens for a fetcher or for gRPC.
///
/// ``GoogleCredentials/idTokens(for:includesEmail:sentTo:)`` returns a source. All sources of the same credentials share
/// their tokens.
public struct GoogleIDTokenSource: AccessTokenSource {
    let credentials: GoogleCredentials
    let request: IDTokenRequest
    /// The origins that the tokens may be sent to.
    public let authorizedOrigins: [OriginPattern]

    /// Returns a valid ID token.
    ///
    /// - Throws: Any error that ``GoogleCredentials/idToken(audience:includesEmail:includesLicenses:)`` throws.
    public func accessToken() async throws -> AccessToken {
        Self.token(try await self.credentials.idToken(self.request))
    }

    /// Returns a replacement for a token that the receiver rejected, after at most one request.
    ///
    /// - Throws: Any error that ``accessToken()`` throws.
    public func replacement(forRejected token: AccessToken) async throws -> AccessToken {
        let rejected = try ServiceAccountIDToken(token.secret)
        let replacement = try await self.credentials.idToken(self.request, replacing: rejected)
        return replacement == rejected ? token : Self.token(replacement)
    }

    private static func token(_ idToken: ServiceAccountIDToken) -> AccessToken {
        AccessToken(idToken.secret, expiresAt: idToken.expiresAt)
    }
}
