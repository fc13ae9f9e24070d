// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
public import Tessera
internal import TesseraOAuth

/// Signed-in sessions for benchmarks, stored in memory, with a fictional provider.
public enum BenchmarkSession {
    /// The account of the sessions.
    public static let account = Account(issuer: Self.issuer, clientID: "benchmark", subject: "1")
    /// The issuer of the account.
    public static let issuer = "https://accounts.example"
    private static let drive: Scope = "https://www.googleapis.com/auth/drive.readonly"
    private static let accessToken = "ya29." + String(repeating: "benchmark-", count: 20)
    /// The value of the `Authorization` field for the session's token.
    public static let authorization = "Bearer " + Self.accessToken

    /// Creates a session with a token that is valid for an hour or expired an hour ago, and that may be sent to
    /// `origin`.
    public static func make(
        isExpired: Bool = false,
        origin: String = "https://api.example",
        transport: any HTTPTransport
    ) async throws -> OAuthSession {
        let record = try Self.record(isExpired: isExpired, origin: origin)
        let store = InMemoryStore()
        try await store.update(Self.account) { try await $0.save(record) }
        let signIn = SignIn(record.provider, transport: transport, store: store, userAgent: NoUserAgent())
        guard let session = try await signIn.restore(Self.account) else { throw SessionEndedError(.signedOut) }
        return session
    }

    /// Creates the stored record of such a session.
    public static func record(
        isExpired: Bool = false,
        issuer: String = Self.issuer,
        origin: String = "https://api.example"
    ) throws -> SessionRecord {
        let origin = try OriginPattern(origin)
        let insecure: Insecure = issuer.hasPrefix("http:") ? .loopbackHTTP : []
        let document = #"{"issuer": "\#(issuer)", "token_endpoint": "\#(issuer)/token"}"#
        let metadata = try ServerMetadata(parsing: Array(document.utf8), insecure: insecure)
        let provider = Provider(
            issuer: try Issuer(issuer, insecure: insecure),
            metadata: metadata,
            client: OAuthClient(clientID: Self.account.clientID),
            authorizedOrigins: [origin],
            insecure: insecure
        )
        let now = Date()
        return SessionRecord(
            account: Account(issuer: issuer, clientID: Self.account.clientID, subject: Self.account.subject),
            generation: 1,
            tokens: TokenSet(
                accessToken: Secret(Self.accessToken),
                obtainedAt: isExpired ? now.addingTimeInterval(-7_200) : now,
                lifetime: 3_600,
                refreshToken: Secret("1//benchmark"),
                idToken: nil
            ),
            grantedScopes: GrantedScopes(requested: [Self.drive], granted: [Self.drive]),
            identity: Identity(email: "ada@example.com", emailVerified: true, name: "Ada"),
            provider: provider,
            authorizedOrigins: [origin],
            history: SessionHistory(consentedAt: now)
        )
    }
}
