// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraOAuth
internal import TesseraSupport

extension GoogleCredentials {
    /// Returns credentials that act as a service account, which requires `roles/iam.serviceAccountTokenCreator`.
    ///
    /// With a subject, the service account acts as a user of a Workspace organization without any key: Google signs the
    /// assertion for domain-wide delegation.
    ///
    /// - Parameters:
    ///   - serviceAccount: The email address of the service account.
    ///   - scopes: The scopes of the access tokens.
    ///   - delegates: The service accounts between these credentials and the service account.
    ///   - lifetime: The lifetime of the access tokens, from 1 second to 12 hours.
    ///   - subject: The user on whose behalf the service account acts.
    /// - Returns: The credentials, which you should create once and reuse.
    /// - Throws: ``GoogleCredentialsError`` if an argument is not valid.
    public func impersonating(
        _ serviceAccount: String,
        scopes: [Scope],
        delegates: [String] = [],
        lifetime: Duration = .seconds(3_600),
        subject: String? = nil
    ) throws -> GoogleCredentials {
        guard !serviceAccount.isEmpty, !serviceAccount.contains("/") else {
            throw GoogleCredentialsError(
                .invalidConfiguration,
                reason: "\"\(UntrustedText.printable(serviceAccount))\" is not a service account"
            )
        }
        guard (1...43_200).contains(lifetime.components.seconds) else {
            throw GoogleCredentialsError(
                .invalidConfiguration,
                reason: "the lifetime of a token must be between one second and 12 hours"
            )
        }
        let method = ImpersonatedServiceAccount(
            source: self.method.acceptsScopes ? self.with(scopes: [IAMService.scope]) : self,
            email: serviceAccount,
            delegates: delegates.isEmpty ? nil : delegates,
            lifetime: Int(lifetime.components.seconds),
            subject: subject,
            url: nil
        )
        return self.derived(method, scopes)
    }

    /// Returns credentials whose tokens permit only what a boundary lists.
    ///
    /// Pass the tokens to a less trusted program. Only Cloud Storage supports boundaries.
    ///
    /// - Throws: ``GoogleCredentialsError`` if the boundary is not valid.
    public func downscoped(to boundary: CredentialAccessBoundary) throws -> GoogleCredentials {
        try boundary.check()
        return self.derived(DownscopedCredentials(source: self, boundary: boundary), self.scopes)
    }

    /// Returns credentials of the same kind for other scopes.
    ///
    /// Users' and downscoped credentials do not support other scopes and are returned unchanged.
    public func with(scopes: [Scope]) -> GoogleCredentials {
        guard self.method.acceptsScopes, scopes != self.scopes else { return self }
        return self.derived(self.method, scopes, search: self.search)
    }

    private func derived(
        _ method: any CredentialMethod,
        _ scopes: [Scope],
        search: [GoogleCredentialSearchStep] = []
    ) -> GoogleCredentials {
        GoogleCredentials(
            method,
            scopes: scopes,
            quotaProject: self.quotaProject,
            search: search,
            options: self.options,
            client: self.client
        )
    }
}

extension GoogleCredentials {
    /// Creates credentials for an external account whose subject tokens come from a closure.
    ///
    /// - Parameters:
    ///   - audience: The name of the identity pool's provider, such as
    ///     `//iam.googleapis.com/projects/123/locations/global/workloadIdentityPools/pool/providers/provider`.
    ///   - subjectTokenType: The type of the subject token.
    ///   - scopes: The scopes of the access tokens.
    ///   - serviceAccount: The service account that the external account acts as, or nil.
    ///   - options: The options.
    ///   - runtime: The transport and the clocks.
    ///   - subjectToken: A closure that returns a new subject token, called for each request.
    /// - Returns: The credentials, which you should create once and reuse.
    /// - Throws: ``GoogleCredentialsError`` if an argument is not valid.
    public static func externalAccount(
        audience: String,
        subjectTokenType: TokenTypeIdentifier = .jwt,
        scopes: [Scope],
        impersonating serviceAccount: String? = nil,
        options: GoogleCredentialsOptions = GoogleCredentialsOptions(),
        runtime: OAuthRuntime,
        subjectToken: @escaping @Sendable (SubjectTokenContext) async throws -> Secret
    ) throws -> GoogleCredentials {
        try Self.external(
            audience,
            subjectTokenType.rawValue,
            SubjectTokenClosure(closure: subjectToken),
            scopes,
            serviceAccount,
            options,
            runtime
        )
    }

    /// Creates credentials for an external account on AWS whose AWS credentials come from a closure.
    ///
    /// - Parameters:
    ///   - audience: The name of the identity pool's provider.
    ///   - region: The AWS region, such as `eu-central-1`.
    ///   - scopes: The scopes of the access tokens.
    ///   - serviceAccount: The service account that the external account acts as, or nil.
    ///   - options: The options.
    ///   - runtime: The transport and the clocks.
    ///   - credentials: A closure that returns valid AWS credentials, called for each request.
    /// - Returns: The credentials, which you should create once and reuse.
    /// - Throws: ``GoogleCredentialsError`` if an argument is not valid.
    public static func externalAccount(
        audience: String,
        awsRegion region: String,
        scopes: [Scope],
        impersonating serviceAccount: String? = nil,
        options: GoogleCredentialsOptions = GoogleCredentialsOptions(),
        runtime: OAuthRuntime,
        credentials: @escaping @Sendable () async throws -> AWSCredentials
    ) throws -> GoogleCredentials {
        try Self.external(
            audience,
            "urn:ietf:params:aws:token-type:aws4_request",
            AWSSubjectToken(region: region, credentials: credentials),
            scopes,
            serviceAccount,
            options,
            runtime
        )
    }

    private static func external(
        _ audience: String,
        _ subjectTokenType: String,
        _ source: any SubjectTokenSource,
        _ scopes: [Scope],
        _ serviceAccount: String?,
        _ options: GoogleCredentialsOptions,
        _ runtime: OAuthRuntime
    ) throws -> GoogleCredentials {
        guard !audience.isEmpty else {
            throw GoogleCredentialsError(.invalidConfiguration, reason: "the audience must not be empty")
        }
        let client = try options.client(runtime)
        let method = ExternalAccount(
            audience: audience,
            subjectTokenType: subjectTokenType,
            tokenEndpoint: try client.trust.service("sts", path: "/v1/token"),
            source: source,
            oauthClient: nil,
            workforcePoolUserProject: nil
        )
        let own = serviceAccount == nil ? scopes : [IAMService.scope]
        let credentials = Self.make(method, own, options, client)
        guard let serviceAccount else { return credentials }
        return try credentials.impersonating(serviceAccount, scopes: scopes, subject: options.subject)
    }

    /// Creates credentials that do not come from a file.
    private static func make(
        _ method: any CredentialMethod,
        _ scopes: [Scope],
        _ options: GoogleCredentialsOptions,
        _ client: CredentialClient
    ) -> GoogleCredentials {
        let quotaProject = options.quotaProject(inFile: nil)
        return GoogleCredentials(method, scopes: scopes, quotaProject: quotaProject, options: options, client: client)
    }

    /// Creates credentials for an API key, which identifies a project.
    ///
    /// API clients send the key instead of a token.
    ///
    /// - Throws: ``GoogleCredentialsError`` if the options are not valid.
    public static func apiKey(
        _ key: Secret,
        options: GoogleCredentialsOptions = GoogleCredentialsOptions(),
        runtime: OAuthRuntime
    ) throws -> GoogleCredentials {
        Self.make(APIKeyCredentials(key: key), [], options, try options.client(runtime))
    }

    /// Creates credentials that send no token, for public data and emulators.
    ///
    /// - Throws: ``GoogleCredentialsError`` if the options are not valid.
    public static func anonymous(
        options: GoogleCredentialsOptions = GoogleCredentialsOptions(),
        runtime: OAuthRuntime
    ) throws -> GoogleCredentials {
        Self.make(AnonymousCredentials(), [], options, try options.client(runtime))
    }

    /// Creates credentials whose tokens come from a closure, such as tokens of another library.
    ///
    /// - Parameters:
    ///   - scopes: The scopes to pass to the closure.
    ///   - options: The options.
    ///   - runtime: The transport and the clocks.
    ///   - token: A closure that returns a token that is valid. It is called when the previous one is about to expire.
    /// - Returns: The credentials, which you should create once and reuse.
    /// - Throws: ``GoogleCredentialsError`` if the options are not valid.
    public static func token(
        scopes: [Scope] = [],
        options: GoogleCredentialsOptions = GoogleCredentialsOptions(),
        runtime: OAuthRuntime,
        token: @escaping @Sendable ([Scope]) async throws -> AccessToken
    ) throws -> GoogleCredentials {
        Self.make(TokenCredentials(token), scopes, options, try options.client(runtime))
    }
}
