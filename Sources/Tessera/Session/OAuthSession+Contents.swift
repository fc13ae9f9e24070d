// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraSupport
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

    /// Asks the provider about the person; a signed answer is verified.
    ///
    /// - Throws: `missingMetadata` without a userinfo endpoint; `BearerChallenge` where the token was refused twice;
    ///   `userInfoSubject` where the answer is about somebody else; `jwt…` and `jws…` for a signed answer that must not
    ///   be trusted; what ``accessToken()`` throws.
    public func userInfo() async throws -> JSONValue {
        let endpoint = try await self.connection.registeredClient().endpoint(\.userinfoEndpoint, "userinfo_endpoint")
        let token = try await self.accessToken()
        do {
            return try await self.userInfo(token, at: endpoint)
        } catch let refusal where Self.isUnauthorized(refusal) {
            return try await self.userInfo(try await self.refused(token), at: endpoint)
        }
    }

    private func userInfo(_ token: AccessToken, at endpoint: Endpoint) async throws -> JSONValue {
        let subject = self.idToken == nil ? nil : self.account.subject
        let request = UserInfoRequest(token.secret, type: token.type, at: endpoint, subject: subject)
        return try await self.connection.send(request, dpopKey: token.dpop?.key)
    }

    /// Whether another token may help; it does not where a nonce is wanted.
    private static func isUnauthorized(_ error: any Error) -> Bool {
        guard let challenge = error as? BearerChallenge else { return (error as? HTTPStatusError)?.status == 401 }
        return challenge.status == 401 && challenge.error?.lowercased() != OAuthError.Code.useDPoPNonce.rawValue
    }
}

extension OAuthSession {
    /// What explains an error of this session's, or what is about to end it: from its history, and nothing is asked.
    ///
    /// - Parameter error: what a call threw; nil looks ahead.
    /// - Returns: the findings, the likeliest first; none where all is well or nothing is known.
    public func findings(after error: (any Error)? = nil) -> [Finding] {
        self.diagnosis(of: self.record, after: error).findings
    }

    func diagnosis(of record: SessionRecord, after error: (any Error)?) -> Diagnosis {
        let rules = self.connection.provider.grantRules
        return Diagnosis(of: record, after: error, rules: rules, now: self.connection.runtime.now())
    }
}

extension OAuthSession {
    /// The network that the session's sign-in was given.
    public var transport: any HTTPTransport { self.connection.runtime.transport }
    /// The world of the session's sign-in.
    package var runtime: OAuthRuntime { self.connection.runtime }
}
