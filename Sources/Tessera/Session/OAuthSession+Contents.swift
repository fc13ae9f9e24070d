// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import HTTPTypes
internal import Synchronization
public import TesseraJSON
public import TesseraOAuth

extension OAuthSession {
    /// The whole record as it is now, tokens included.
    public var record: SessionRecord { self.state.withLock { $0.record } }

    /// What was asked for, what was granted, what is missing.
    public var grant: Grant { self.state.withLock { $0.record.grant } }

    /// The scopes that were really granted.
    public var grantedScopes: [Scope] { self.grant.granted }

    /// What the provider said about the person.
    public var identity: Identity { self.state.withLock { $0.record.identity } }

    /// The provider.
    public var provider: Provider { self.state.withLock { $0.record.provider } }

    /// Where the session's tokens may be sent.
    public var authorizedOrigins: [OriginPattern] { self.state.withLock { $0.record.authorizedOrigins } }

    /// The newest ID token that came with the refresh token; its signature and claims were checked when it came.
    public var idToken: Secret? { self.state.withLock { $0.record.tokens?.idToken } }

    /// When the present access token ends, nil where the provider does not say.
    public var expiresAt: Date? { self.state.withLock { $0.record.tokens?.expiresAt } }

    /// Why the session ended, nil while it lives.
    public var ended: SessionEnded? { self.state.withLock { $0.ended } }

    /// Asks the provider about the person.
    ///
    /// - Throws: `missingMetadata` without a userinfo endpoint; ``BearerChallenge`` where the token was refused twice;
    ///   `userInfoSubject` where the answer is about somebody else; what ``accessToken()`` throws.
    public func userInfo() async throws -> JSONValue {
        let endpoint = try await self.connection.metadata().require(\.userinfoEndpoint, "userinfo_endpoint")
        let request = UserInfoRequest(at: endpoint, subject: self.idToken == nil ? nil : self.account.subject)
        let token = try await self.accessToken()
        let answer = try await self.connection.runtime.exchange(request.message(accessToken: token.secret))
        guard answer.0.status.code == 401 else { return try request.claims(answer.0, body: answer.1) }
        let newer = try await self.refused(token)
        let (response, body) = try await self.connection.runtime.exchange(request.message(accessToken: newer.secret))
        return try request.claims(response, body: body)
    }
}

extension OAuthSession {
    /// The network that the session's sign-in was given.
    public var transport: any HTTPTransport { self.connection.runtime.transport }
}
