// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraOAuth

extension GTMOAuth2PersistenceString {
    /// What GTMOAuth2 would keep of a grant.
    ///
    /// - Parameters:
    ///   - grant: the refresh token and the scopes.
    ///   - accessToken: the newest access token, where there is one.
    ///   - identity: whose it is: the email address, and whether that is verified.
    ///   - subject: the person's identifier.
    ///   - serviceProvider: who signed the person in, `Google` for example.
    public init(
        _ grant: ExistingGrant,
        accessToken: Secret? = nil,
        identity: Identity = Identity(),
        subject: String? = nil,
        serviceProvider: String? = nil
    ) {
        self.init()
        self[Key.accessToken] = accessToken?.withUnredacted { $0 }
        self[Key.refreshToken] = grant.refreshToken.withUnredacted { $0 }
        self[Key.scope] = grant.scopes.isEmpty ? nil : grant.scopes.map(\.rawValue).joined(separator: " ")
        self[Key.serviceProvider] = serviceProvider
        self[Key.userEmail] = identity.email
        self[Key.userEmailIsVerified] = identity.emailVerified == true ? "y" : nil
        self[Key.userID] = subject
    }

    /// Whether the email address is verified: `y`, `yes`, `t`, `true` or a number from 1, as the ancestors read it; nil
    /// where the string does not say.
    public var emailIsVerified: Bool? {
        guard let text = self[Key.userEmailIsVerified] ?? self[Key.isVerified] else { return nil }
        let digits = text.drop { $0.isWhitespace || $0 == "0" || $0 == "+" || $0 == "-" }
        return digits.first.map { "yYtT123456789".contains($0) } ?? false
    }
}

extension ImportedGrant {
    /// The grant of a string, which names neither client nor provider.
    ///
    /// - Throws: ``MigrationError`` `noRefreshToken`.
    public init(_ string: GTMOAuth2PersistenceString) throws(MigrationError) {
        typealias Key = GTMOAuth2PersistenceString.Key
        guard let refreshToken = string[Key.refreshToken], !refreshToken.isEmpty else {
            throw MigrationError(.noRefreshToken)
        }
        self.init(
            format: .gtmOAuth2,
            grant: ExistingGrant(
                refreshToken: Secret(refreshToken),
                scopes: ScopeList.scopes(string[Key.scope] ?? "")
            ),
            email: string[Key.userEmail] ?? string[Key.email],
            subject: string[Key.userID]
        )
    }
}
