// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth
internal import TesseraSupport

extension GoogleCredentials {
    /// Loads credentials from a file of an expected type.
    ///
    /// Name only the types that the caller needs. A file from outside can otherwise read other files, send requests or,
    /// if `GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES` is 1, run a program. The file is read before the method returns.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - types: The expected types.
    ///   - scopes: The scopes of the access tokens. Users' credentials ignore them.
    ///   - options: The options.
    ///   - runtime: The transport and the clocks.
    /// - Returns: The credentials, which you should create once and reuse.
    /// - Throws: ``GoogleCredentialsError``.
    public static func load(
        _ path: String,
        expecting types: Set<GoogleCredentialFileType>,
        scopes: [Scope] = [],
        options: GoogleCredentialsOptions = GoogleCredentialsOptions(),
        runtime: OAuthRuntime
    ) throws -> GoogleCredentials {
        let file = try CredentialFile.read(path, logger: options.logger)
        return try CredentialLoader(options, runtime).credentials(file, expecting: types, scopes: scopes)
    }

    /// Loads credentials from the contents of a file, such as a value from a secret manager.
    ///
    /// - Throws: ``GoogleCredentialsError``.
    public static func load(
        parsing bytes: [UInt8],
        expecting types: Set<GoogleCredentialFileType>,
        scopes: [Scope] = [],
        options: GoogleCredentialsOptions = GoogleCredentialsOptions(),
        runtime: OAuthRuntime
    ) throws -> GoogleCredentials {
        let file = try CredentialFile(parsing: bytes, path: nil)
        return try CredentialLoader(options, runtime).credentials(file, expecting: types, scopes: scopes)
    }

    /// Loads a service account's key from a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - scopes: The scopes of the access tokens.
    ///   - subject: The user of a Workspace organization on whose behalf the service account acts.
    ///   - options: The options.
    ///   - runtime: The transport and the clocks.
    /// - Returns: The credentials, which you should create once and reuse.
    /// - Throws: ``GoogleCredentialsError``.
    public static func serviceAccount(
        keyFile path: String,
        scopes: [Scope],
        subject: String? = nil,
        options: GoogleCredentialsOptions = GoogleCredentialsOptions(),
        runtime: OAuthRuntime
    ) throws -> GoogleCredentials {
        var options = options
        options.subject = subject ?? options.subject
        return try Self.load(path, expecting: [.serviceAccount], scopes: scopes, options: options, runtime: runtime)
    }
}

/// Creates credentials from files.
struct CredentialLoader {
    let options: GoogleCredentialsOptions
    let client: CredentialClient

    init(_ options: GoogleCredentialsOptions, _ runtime: OAuthRuntime) throws(GoogleCredentialsError) {
        self.options = options
        self.client = try options.client(runtime)
    }

    private var trust: EndpointTrust { self.client.trust }

    /// Returns the credentials in a file.
    func credentials(
        _ file: CredentialFile,
        expecting types: Set<GoogleCredentialFileType>,
        scopes: [Scope],
        search: [GoogleCredentialSearchStep] = []
    ) throws -> GoogleCredentials {
        let type = try GoogleCredentialFileType(of: file)
        guard types.contains(type) else {
            throw GoogleCredentialsError(
                .unexpectedType,
                at: file.path,
                reason: "the file contains credentials of the type \(type), but the caller expects "
                    + types.map(\.rawValue).sorted().joined(separator: ", ")
            )
        }
        let quotaProject = self.options.quotaProject(inFile: try file.string("quota_project_id"))
        let credentials: GoogleCredentials
        switch type {
        case .impersonatedServiceAccount:
            credentials = try self.impersonated(file, scopes, quotaProject, search)
        case .authorizedUser:
            try self.trust.check(universe: try file.string("universe_domain"), of: file.path)
            let method = try AuthorizedUser(file)
            credentials = self.credentials(method, method.scopes, quotaProject, search)
        case .serviceAccount:
            let method = try ServiceAccount(
                file,
                subject: self.options.subject,
                tokens: self.options.serviceAccountTokens,
                trust: self.trust
            )
            return self.credentials(method, scopes, quotaProject, search)
        case .externalAccountAuthorizedUser:
            let method = try ExternalAccountAuthorizedUser(file, trust: self.trust)
            credentials = self.credentials(method, [], quotaProject, search)
        default:
            credentials = try self.external(type, file, scopes, quotaProject, search)
        }
        try self.checkSubject(credentials, file)
        return credentials
    }

    private func checkSubject(_ credentials: GoogleCredentials, _ file: CredentialFile) throws {
        guard self.options.subject != nil, credentials.kind != .impersonatedServiceAccount else { return }
        throw GoogleCredentialsError(
            .unsupportedOperation,
            at: file.path,
            reason: "credentials of the kind \(credentials.kind.rawValue) cannot act as another user",
            advice: "Remove the subject, or impersonate a service account with domain-wide delegation."
        )
    }

    private func credentials(
        _ method: any CredentialMethod,
        _ scopes: [Scope],
        _ quotaProject: String?,
        _ search: [GoogleCredentialSearchStep] = []
    ) -> GoogleCredentials {
        GoogleCredentials(
            method,
            scopes: scopes,
            quotaProject: quotaProject,
            search: search,
            options: self.options,
            client: self.client
        )
    }

    // MARK: Impersonation

    private func impersonated(
        _ file: CredentialFile,
        _ scopes: [Scope],
        _ quotaProject: String?,
        _ search: [GoogleCredentialSearchStep]
    ) throws -> GoogleCredentials {
        guard let source = try file.child("source_credentials") else {
            throw file.invalid("source_credentials is missing")
        }
        let url = try file.required("service_account_impersonation_url")
        // The URL names the account. Requests are sent to the endpoint of the universe.
        let email = try Self.account(inURL: url, file)
        let method = ImpersonatedServiceAccount(
            source: try self.sourceCredentials(source),
            email: email,
            delegates: try file.strings("delegates"),
            lifetime: Self.defaultLifetime,
            subject: self.options.subject,
            url: nil
        )
        let own = try file.strings("scopes")?.map { Scope($0) } ?? []
        // Like google-auth, the search prefers the file's scopes, and a caller who loads a file replaces them.
        let prefersOwn = scopes.isEmpty || !search.isEmpty
        return self.credentials(method, prefersOwn && !own.isEmpty ? own : scopes, quotaProject, search)
    }

    static let defaultLifetime = 3_600

    private func sourceCredentials(_ file: CredentialFile) throws -> GoogleCredentials {
        let type = try GoogleCredentialFileType(of: file)
        let quotaProject = try file.string("quota_project_id")
        switch type {
        case .authorizedUser:
            let method = try AuthorizedUser(file)
            return self.credentials(method, method.scopes, quotaProject)
        case .serviceAccount:
            let method = try ServiceAccount(file, subject: nil, trust: self.trust)
            return self.credentials(method, [IAMService.scope], quotaProject)
        case .externalAccountAuthorizedUser:
            return self.credentials(try ExternalAccountAuthorizedUser(file, trust: self.trust), [], quotaProject)
        default:
            throw GoogleCredentialsError(
                .unsupportedType,
                at: file.path,
                reason: "source_credentials of the type \(type) are not supported",
                advice: "Use a service account key or a user's credentials as the source."
            )
        }
    }

    /// Returns the email address in the URL of `generateAccessToken`.
    private static func account(inURL url: String, _ file: CredentialFile) throws(GoogleCredentialsError) -> String {
        guard let end = url.firstRange(of: ":generateAccessToken"), let slash = url.lastIndex(of: "/"),
            slash < end.lowerBound
        else {
            throw file.invalid("service_account_impersonation_url does not name a service account")
        }
        let account = String(url[url.index(after: slash)..<end.lowerBound])
        guard !account.isEmpty else {
            throw file.invalid("service_account_impersonation_url does not name a service account")
        }
        return account
    }

    // MARK: External accounts

    private func external(
        _ type: GoogleCredentialFileType,
        _ file: CredentialFile,
        _ scopes: [Scope],
        _ quotaProject: String?,
        _ search: [GoogleCredentialSearchStep]
    ) throws -> GoogleCredentials {
        try self.trust.check(universe: try file.string("universe_domain"), of: file.path)
        let impersonationURL = try file.string("service_account_impersonation_url")
        let email = try impersonationURL.map { (url) throws(GoogleCredentialsError) in
            try Self.account(inURL: url, file)
        }
        let method = try self.externalAccount(type, file, email: email)
        guard let impersonationURL, let email else { return self.credentials(method, scopes, quotaProject, search) }
        let impersonated = ImpersonatedServiceAccount(
            source: self.credentials(method, [IAMService.scope], quotaProject),
            email: email,
            delegates: nil,
            lifetime: try file.child("service_account_impersonation")?.integer("token_lifetime_seconds")
                ?? Self.defaultLifetime,
            subject: self.options.subject,
            url: try self.trust.endpoint(impersonationURL, .impersonationURL, of: file.path)
        )
        return self.credentials(impersonated, scopes, quotaProject, search)
    }

    private func externalAccount(
        _ type: GoogleCredentialFileType,
        _ file: CredentialFile,
        email: String?
    ) throws -> ExternalAccount {
        guard let source = try file.child("credential_source") else {
            throw file.invalid("credential_source is missing")
        }
        let tokenSource: any SubjectTokenSource =
            switch type {
            case .externalAccountAWS: try AWSSubjectToken(source)
            case .externalAccountExecutable:
                try ExecutableSubjectToken(
                    source,
                    impersonatedEmail: email,
                    isInteractive: self.options.isInteractive
                )
            case .externalAccountURL: try URLSubjectToken(source)
            case .externalAccountX509: try CertificateSubjectToken(source, self.options.environment)
            default:
                FileSubjectToken(path: try source.required("file"), format: try SubjectTokenFormat(source))
            }
        let clientID = try file.string("client_id")
        let clientSecret = try file.string("client_secret").map { Secret($0) }
        let account = ExternalAccount(
            audience: try file.required("audience"),
            subjectTokenType: try file.required("subject_token_type"),
            tokenEndpoint: try self.tokenEndpoint(file, usesCertificate: type == .externalAccountX509),
            source: tokenSource,
            oauthClient: clientID.map {
                TokenServiceClient(clientID: $0, clientSecret: clientSecret ?? Secret(""))
            },
            workforcePoolUserProject: try file.string("workforce_pool_user_project")
        )
        guard account.isWorkforcePool || account.workforcePoolUserProject == nil else {
            throw file.invalid("workforce_pool_user_project requires the audience of a workforce pool")
        }
        return account
    }

    private func tokenEndpoint(_ file: CredentialFile, usesCertificate: Bool) throws -> Endpoint {
        guard let url = try file.string("token_url") else {
            return try self.trust.service(usesCertificate ? "sts.mtls" : "sts", path: "/v1/token")
        }
        let named = url.replacing("{universe_domain}", with: self.trust.universeDomain)
        return try self.trust.endpoint(named, .tokenURL, of: file.path)
    }
}
