// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraOAuth
internal import TesseraSupport

extension SessionRecord {
    /// Returns a record for tests in which every field has a value and the secrets are placeholders.
    ///
    /// - Parameters:
    ///   - account: The record's account.
    ///   - generation: The number of the token set. Each generation has different tokens.
    ///   - size: The length of the ID token, which is a lower bound for the size of the record.
    /// - Returns: A record without a refresh mark, equal to any other record created with the same arguments.
    /// - Throws: Nothing in practice, but the initializers that this method calls are declared as throwing.
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
            grantedScopes: GrantedScopes(requested: [.openID, .email], granted: [.openID]),
            identity: Identity(email: "ada@example.com", emailVerified: true, name: "Ada", label: "work"),
            provider: provider,
            authorizedOrigins: [try OriginPattern("https://api.example")],
            history: SessionHistory(consentedAt: date, lastRefreshAt: date, refreshCount: generation)
        )
    }
}
