// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraOAuth
internal import TesseraSupport

extension SessionRecord {
    /// A record for tests: every field has a value, and those that hold secrets hold made-up ones.
    ///
    /// - Parameters:
    ///   - account: whose record it is.
    ///   - generation: the number of its token set; its tokens differ from those of every other generation.
    ///   - size: the length of its ID token, which makes the record at least as long.
    /// - Returns: a record without a mark, equal to every other that is made of the same values.
    /// - Throws: nothing in practice: its parts come from initialisers that could.
    public static func sample(for account: Account, generation: Int64 = 1, size: Int = 1024) throws -> SessionRecord {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let provider = Provider(
            name: "Example",
            issuer: try Issuer("https://accounts.example"),
            client: OAuthClient(clientID: account.clientID, clientSecret: Secret("sample-client-secret"))
        )
        return SessionRecord(
            account: account,
            generation: generation,
            tokens: TokenSet(
                accessToken: Secret("sample-access-token-\(generation)"),
                obtainedAt: date,
                lifetime: 3600,
                refreshToken: Secret("sample-refresh-token-\(generation)"),
                idToken: Secret(String(repeating: "i", count: max(0, size)))
            ),
            grant: Grant(requested: [.openID, .email], granted: [.openID]),
            identity: Identity(email: "ada@example.com", emailVerified: true, name: "Ada", label: "work"),
            provider: provider,
            authorizedOrigins: [try OriginPattern("https://api.example")],
            history: SessionHistory(consentedAt: date, lastRefreshAt: date, refreshCount: generation)
        )
    }
}
