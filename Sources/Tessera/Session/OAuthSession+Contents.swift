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
    public var ended: SessionEndedError? { self.state.withLock { $0.ended } }

    /// Requests the user information from the provider; a signed response is verified.
    ///
    /// - Throws: `missingMetadata` without a userinfo endpoint; `BearerChallengeError` if the token is refused twice;
    ///   `userInfoSubject` if the response is about another user; `jwt…` and `jws…` for a signed response that must not be
    ///   trusted; the errors of ``accessToken()``.
    public func userInfo() async throws -> JSONValue {
        try await self.connection.userInfo(of: self, subject: self.idToken == nil ? nil : self.account.subject)
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
