// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
public import TesseraJOSE

/// The options for the endpoints from which programs without a user get Google credentials.
///
/// The endpoints are those of OAuth, the Security Token Service, the IAM Credentials API, the Resource Manager API, the
/// metadata server of Compute Engine, and the instance metadata service of AWS. All values are well-known defaults for
/// tests, not secrets.
public struct LocalCloudOptions: Sendable {
    /// The ID of the project, which the metadata server and the Resource Manager API report.
    public var projectID = "tessera-local-provider"
    /// The number of the project.
    public var projectNumber: Int64 = 104_857_600_000
    /// The universe domain, which the metadata server reports and whose hosts the provider imitates, together with those of
    /// `googleapis.com`.
    public var universeDomain = "googleapis.com"
    /// The zone, which the metadata server reports in ID tokens with the format `full`.
    public var zone = "europe-west1-b"
    /// The service accounts, of which the first is the metadata server's default account.
    public var serviceAccounts = LocalServiceAccount.samples
    /// The scopes of the metadata server's tokens if a request does not specify scopes.
    public var metadataScopes = Self.scopes
    /// The refresh token of the first account for the first client, for `authorized_user` files.
    public var userRefreshToken = "1//local-provider-user"
    /// The scopes that ``userRefreshToken`` has been granted.
    public var userScopes = ["openid"] + Self.scopes + ["https://www.googleapis.com/auth/drive"]
    /// A refresh token that is always rejected with `invalid_grant` and the subtype `invalid_rapt`.
    public var reauthenticationToken = "1//local-provider-reauthentication"
    /// The refresh token of a workforce identity for the first client, for `external_account_authorized_user` files.
    public var workforceRefreshToken = "local-provider-workforce"
    /// The only subject token that the Security Token Service accepts, except for signed requests of AWS and
    /// certificates.
    ///
    /// `GET /subject-token` returns it, or a JSON object with the member `id_token` if the query is `format=json`.
    public var subjectToken = "local-provider-subject-token"
    /// The credentials of the AWS role, with which subject tokens of AWS must be signed.
    public var aws = LocalAWSCredentials()

    /// Creates the default options, which are two service accounts and well-known tokens.
    public init() {}

    private static let scopes = [ScopeCatalog.cloudPlatform, ScopeCatalog.email]

    func validate() throws(LocalProviderError) {
        let accounts = self.serviceAccounts
        guard !accounts.isEmpty, Set(accounts.map(\.email)).count == accounts.count,
            Set(accounts.map(\.uniqueID)).count == accounts.count
        else {
            throw LocalProviderError(
                .invalidOption,
                "There must be at least one service account, and their email addresses and IDs must be unique."
            )
        }
        guard accounts.allSatisfy({ $0.key?.algorithm ?? .rs256 == .rs256 }) else {
            throw LocalProviderError(.invalidOption, "The keys of service accounts must be RSA keys for RS256.")
        }
        let tokens = [self.userRefreshToken, self.reauthenticationToken, self.workforceRefreshToken]
        guard Set(tokens).count == tokens.count else {
            throw LocalProviderError(.invalidOption, "The refresh tokens for credential files must be distinct.")
        }
    }
}

/// A service account of the local provider.
public struct LocalServiceAccount: Sendable, Hashable {
    /// The email address.
    public var email: String
    /// The permanent identifier, which is the `sub` claim of ID tokens.
    public var uniqueID: String
    /// The key for RS256, or `nil` to generate one when the provider starts.
    public var key: JWSSigningKey?
    /// The principals that can impersonate the account, or `nil` for all.
    ///
    /// A principal is an email address, or the `principal://` URI of a federated identity.
    public var impersonators: Set<String>?
    /// The scopes with which the account can act for users of the provider (domain-wide delegation), or `nil` for all.
    public var delegatedScopes: Set<String>?

    /// Creates a service account.
    ///
    /// The `email` and `uniqueID` must be unique among a provider's service accounts.
    public init(
        email: String,
        uniqueID: String,
        key: JWSSigningKey? = nil,
        impersonators: Set<String>? = nil,
        delegatedScopes: Set<String>? = nil
    ) {
        self.email = email
        self.uniqueID = uniqueID
        self.key = key
        self.impersonators = impersonators
        self.delegatedScopes = delegatedScopes
    }

    /// The default service accounts.
    ///
    /// Any principal can impersonate both, and both can act for any user.
    public static let samples = [
        LocalServiceAccount(
            email: "worker@tessera-local-provider.iam.gserviceaccount.com",
            uniqueID: "101734928445310286671"
        ),
        LocalServiceAccount(
            email: "robot@tessera-local-provider.iam.gserviceaccount.com",
            uniqueID: "109221365077494180352"
        ),
    ]
}

/// The AWS role and credentials that the local provider's instance metadata service returns.
public struct LocalAWSCredentials: Sendable, Hashable {
    /// The name of the role.
    public var role = "tessera-local-role"
    /// The availability zone, which is the region followed by a letter.
    public var availabilityZone = "us-east-2b"
    /// The ID of the access key.
    public var accessKeyID = "ASIALOCALPROVIDER000"
    /// The secret access key.
    public var secretAccessKey = "local-provider-secret-access-key"
    /// The session token, or `nil` to omit it.
    public var sessionToken: String? = "local-provider-session-token"
    /// Whether requests need a session token of IMDSv2.
    public var requiresIMDSv2 = false

    /// Creates the default role and credentials.
    public init() {}
}
#endif
