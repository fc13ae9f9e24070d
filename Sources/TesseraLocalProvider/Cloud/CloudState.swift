// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

/// The state of the cloud endpoints.
struct CloudState: Sendable {
    /// The maximum number of recorded requests.
    static let requestLimit = 10_000

    let options: LocalCloudOptions
    /// The service accounts with their keys.
    let accounts: [LocalServiceAccount]
    /// The key of Identity-Aware Proxy.
    let proxyKey: JWSSigningKey
    var requests: [LocalCloudRequest] = []
    /// The session tokens of the instance metadata service of AWS.
    var awsSessions = ExpiringTable<Bool>(limit: 1000)

    init(_ options: LocalCloudOptions) throws {
        self.options = options
        self.accounts = try options.serviceAccounts.map { account in
            var account = account
            if account.key == nil { account.key = try JWSSigningKey.generate(.rs256) }
            return account
        }
        self.proxyKey = try JWSSigningKey.generate(.es256)
    }

    /// Returns the service account with an email address or a unique ID.
    func account(_ name: String) -> LocalServiceAccount? {
        self.accounts.first { $0.email == name || $0.uniqueID == name }
    }

    mutating func record(_ request: LocalCloudRequest) {
        if self.requests.count == Self.requestLimit { self.requests.removeFirst() }
        self.requests.append(request)
    }
}

extension LocalServiceAccount {
    /// The account as an owner of files and mail.
    var asUser: LocalProviderAccount {
        let name = self.email.prefix { $0 != "@" }
        return LocalProviderAccount(
            subject: self.uniqueID,
            email: self.email,
            givenName: String(name),
            familyName: "(service account)"
        )
    }
}

extension ProviderState {
    /// Adds the refresh tokens for credential files.
    mutating func addCloudRefreshTokens() {
        guard let cloud = self.cloud?.options, let client = self.options.clients.first else { return }
        let workforce = "principal://iam.googleapis.com/locations/global/workforcePools/local/subject/ada"
        let tokens = [
            (cloud.userRefreshToken, self.options.accounts.first?.subject, cloud.userScopes),
            (cloud.workforceRefreshToken, workforce, [ScopeCatalog.cloudPlatform]),
        ]
        for case (let text, let subject?, let scopes) in tokens {
            let authorization = Authorization(clientID: client.id, subject: subject, scopes: scopes, isOffline: true)
            self.refreshTokens[text] = RefreshToken(
                authorization: authorization,
                family: self.nextFamily,
                usedAt: Int64(self.options.now().timeIntervalSince1970)
            )
            self.nextFamily += 1
        }
    }

    /// Issues an access token without a user's consent.
    ///
    /// The client defaults to the subject, because a service account acts for itself.
    mutating func issueToken(
        to subject: String,
        by client: String? = nil,
        scopes: [String],
        lifetime: Int64? = nil
    ) -> (text: String, deadline: Int64) {
        let deadline = self.now + (lifetime ?? Int64(self.options.accessTokenLifetime))
        let authorization = Authorization(
            clientID: client ?? subject,
            subject: subject,
            scopes: scopes.map(ScopeCatalog.canonical),
            isOffline: false
        )
        let token = AccessToken(authorization: authorization, deadline: deadline, family: self.nextFamily)
        self.nextFamily += 1
        return (self.issue(token), deadline)
    }

    /// Returns a signed ID token of a service account.
    func idToken(
        of account: LocalServiceAccount,
        for audience: String,
        includingEmail: Bool,
        and others: [JSONMember] = []
    ) throws(TokenFailure) -> String {
        try self.signed(
            JSONMember.list([
                "iss": "https://accounts.google.com", "aud": audience, "azp": account.uniqueID,
                "sub": account.uniqueID, "email": includingEmail ? account.email : nil,
                "email_verified": includingEmail ? true : nil, "iat": self.now, "exp": self.now + 3600,
            ]) + others
        )
    }
}
#endif
