// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraJSON
public import TesseraOAuth
internal import TesseraSupport

/// Credentials for Google's APIs that do not require a user, such as a service account's.
///
/// ``applicationDefault(scopes:options:runtime:)`` finds the credentials of the environment, ``load(_:expecting:scopes:options:runtime:)``
/// reads a file, and other methods create specific kinds. Tokens are cached in memory and requested again before they
/// expire. Credentials are safe to use from any number of tasks at once, and concurrent callers share one request.
/// Create them once and reuse them.
///
/// - SeeAlso: [Authentication at Google](https://cloud.google.com/docs/authentication)
public final class GoogleCredentials: AccessTokenSource {
    /// The kind of the credentials.
    public let kind: GoogleCredentialKind
    /// The scopes of the access tokens, or an empty array if the credentials determine them.
    public let scopes: [Scope]
    /// The project whose quota is charged, or nil.
    public let quotaProject: String?
    /// The steps of the search that found the credentials, or an empty array if there was no search.
    public let search: [GoogleCredentialSearchStep]
    /// The origins that the tokens may be sent to: the APIs of the universe, and the options' trusted origins.
    public var authorizedOrigins: [OriginPattern] { self.client.trust.authorizedOrigins }

    /// The universe that the caller named, or the default one.
    package var namedUniverse: String { self.client.trust.universeDomain }
    /// The key that API clients send instead of a token, or nil for other kinds.
    package var apiKey: Secret? { (self.method as? APIKeyCredentials)?.key }
    /// The runtime for the credentials' requests.
    package var runtime: OAuthRuntime { self.client.runtime }

    let method: any CredentialMethod
    let client: CredentialClient
    let options: GoogleCredentialsOptions
    private let cache: TokenCache<AccessToken>
    private let idTokens = Mutex<[IDTokenRequest: TokenCache<ServiceAccountIDToken>]>([:])
    private let universe: OnceValue<String>
    private let projectID: OnceValue<String?>

    /// The maximum number of audiences whose ID tokens are cached.
    private static let idTokenLimit = 100

    init(
        _ method: any CredentialMethod,
        scopes: [Scope],
        quotaProject: String?,
        search: [GoogleCredentialSearchStep] = [],
        options: GoogleCredentialsOptions,
        client: CredentialClient
    ) {
        self.method = method
        self.kind = method.kind
        self.scopes = scopes
        self.quotaProject = quotaProject
        self.search = search
        self.options = options
        self.client = client
        self.cache = TokenCache(runtime: client.runtime)
        self.universe = OnceValue()
        self.projectID = OnceValue()
    }

    /// Returns a valid access token, requesting a new one first if necessary.
    ///
    /// Concurrent callers share one request. A token that is about to expire is replaced in the background.
    ///
    /// - Throws: ``GoogleCredentialsError``, `OAuthError`, `HTTPStatusError`, `TransportError`,
    ///   `ProtocolViolationError` or `CancellationError`. Errors are not cached.
    public func accessToken() async throws -> AccessToken {
        if let token = self.cache.fresh { return token }
        return try await self.cache.token(self.obtain)
    }

    /// Returns a replacement for a token that a server rejected, after at most one request.
    ///
    /// - Throws: Any error that ``accessToken()`` throws.
    public func replacement(forRejected token: AccessToken) async throws -> AccessToken {
        try await self.cache.replacement(forRejected: token, self.obtain)
    }

    private func obtain(_ reason: TokenCache<AccessToken>.Reason) async throws -> AccessToken {
        let runtime = self.client.runtime
        let requestedAt = runtime.uptime()
        let issued = try await self.method.requestToken(self.scopes, self.client)
        let begunAt = issued.begunAt ?? requestedAt
        let age = Double(runtime.uptime() - begunAt) / 1_000_000_000
        let expiration = issued.lifetime.map { runtime.now().addingTimeInterval(Double($0) - age) }
        let token = AccessToken(issued.secret, expiresAt: expiration)
        let lifetime = issued.lifetime ?? CurrentToken<AccessToken>.assumedLifetime
        let isReplacement = if case .refused = reason { true } else { false }
        self.cache.publish(CurrentToken(token, lifetime: lifetime, from: begunAt), isReplacement: isReplacement)
        return token
    }

    /// Runs a request with an access token, and once more with a new token if the server rejects the first one.
    func withToken<Value: Sendable>(_ request: (AccessToken) async throws -> Value) async throws -> Value {
        let token = try await self.accessToken()
        do {
            return try await request(token)
        } catch let error where Self.isRejection(error) {
            let replacement = try await self.replacement(forRejected: token)
            guard replacement != token else { throw error }
            return try await request(replacement)
        }
    }

    private static func isRejection(_ error: any Error) -> Bool {
        switch error {
        case let error as GoogleCredentialsError: error.status == 401
        case let error as OAuthError: error.status == 401
        case let error as HTTPStatusError: error.status == 401
        default: false
        }
    }
}

extension GoogleCredentials {
    /// Returns an ID token for an audience, which identifies the service account to the receiver.
    ///
    /// The token is cached until it expires. Service accounts, impersonated service accounts and the metadata server
    /// support ID tokens. A user's credentials do not, because Google issues ID tokens for users only to the client
    /// that they signed in with.
    ///
    /// - Parameters:
    ///   - audience: The receiver, such as the URL of a Cloud Run service.
    ///   - includesEmail: Whether an impersonated service account's token contains the email address. The other kinds
    ///     always include it.
    ///   - includesLicenses: Whether the metadata server includes the license codes of the machine.
    /// - Returns: The token.
    /// - Throws: ``GoogleCredentialsError`` with `unsupportedOperation` for other kinds, or any error that
    ///   ``accessToken()`` throws.
    public func idToken(
        audience: String,
        includesEmail: Bool = false,
        includesLicenses: Bool = false
    ) async throws -> ServiceAccountIDToken {
        try await self.idToken(
            IDTokenRequest(
                audience: audience,
                includesEmail: includesEmail,
                includesLicenses: includesLicenses
            )
        )
    }

    /// Returns an ID token, or a replacement for one that the receiver rejected.
    func idToken(
        _ request: IDTokenRequest,
        replacing rejected: ServiceAccountIDToken? = nil
    ) async throws -> ServiceAccountIDToken {
        let cache = self.idTokens.withLock { caches in
            if let cache = caches[request] { return cache }
            if caches.count >= Self.idTokenLimit { caches.removeAll() }
            let cache = TokenCache<ServiceAccountIDToken>(runtime: self.client.runtime)
            caches[request] = cache
            return cache
        }
        if rejected == nil, let token = cache.fresh { return token }
        let (method, client) = (self.method, self.client)
        let obtain: TokenCache<ServiceAccountIDToken>.Operation = { reason in
            let begunAt = client.runtime.uptime()
            let issued = try await method.requestIDToken(request, client)
            let isReplacement = if case .refused = reason { true } else { false }
            cache.publish(
                CurrentToken(issued.token, lifetime: issued.lifetime, from: begunAt),
                isReplacement: isReplacement
            )
            return issued.token
        }
        guard let rejected else { return try await cache.token(obtain) }
        return try await cache.replacement(forRejected: rejected, obtain)
    }

    /// Returns the ID tokens for an audience as a source of tokens for a fetcher.
    ///
    /// The tokens are sent only to these origins, and replaced if the receiver rejects them with status 401.
    ///
    /// - Parameters:
    ///   - audience: The receiver, such as the URL of a Cloud Run service.
    ///   - includesEmail: Whether an impersonated service account's token contains the email address.
    ///   - origins: The origins that may receive the tokens, or nil if the audience is the only one.
    /// - Returns: The source, which shares its tokens with ``idToken(audience:includesEmail:includesLicenses:)``.
    /// - Throws: ``GoogleCredentialsError`` with `invalidConfiguration` if the audience is empty, or
    ///   `InvalidRequestError` if `origins` is nil and the audience is not an origin.
    public func idTokens(
        for audience: String,
        includesEmail: Bool = false,
        sentTo origins: [OriginPattern]? = nil
    ) throws -> GoogleIDTokenSource {
        GoogleIDTokenSource(
            credentials: self,
            request: try IDTokenRequest(audience: audience, includesEmail: includesEmail),
            authorizedOrigins: try origins ?? [OriginPattern(audience)]
        )
    }

    /// Signs bytes with RSASSA-PKCS1-v1_5 and SHA-256, as signed URLs require.
    ///
    /// A service account's key signs locally. For impersonated service accounts and the metadata server, the IAM
    /// service signs, which requires the permission `iam.serviceAccounts.signBlob`.
    ///
    /// - Throws: ``GoogleCredentialsError`` with `unsupportedOperation` for other kinds, or any error that
    ///   ``accessToken()`` throws.
    public func sign(_ bytes: [UInt8]) async throws -> GoogleSignature {
        try await self.method.sign(bytes, self.client)
    }

    /// Signs claims as a JWT with RS256, where the bytes are signed as described for ``sign(_:)``.
    ///
    /// No claims are added.
    ///
    /// - Throws: ``GoogleCredentialsError`` with `unsupportedOperation` for other kinds, or any error that
    ///   ``accessToken()`` throws.
    public func signJWT(_ claims: [JSONMember]) async throws -> Secret {
        try await self.method.signJWT(.object(claims), self.client)
    }

    /// Returns the email address of the service account, or nil for kinds without one.
    ///
    /// - Throws: Any error that ``accessToken()`` throws.
    public func email() async throws -> String? { try await self.method.email(self.client) }

    /// Returns the universe of the credentials, such as `googleapis.com`.
    ///
    /// The metadata server is asked once.
    ///
    /// - Throws: ``GoogleCredentialsError`` with `universeMismatch` if the machine belongs to another universe than
    ///   the caller named, or any error that ``accessToken()`` throws.
    public func universeDomain() async throws -> String {
        let (method, client) = (self.method, self.client)
        return try await self.universe.value {
            let universe = try await method.universe(client)
            try client.trust.check(universe: universe, of: nil)
            return universe
        }
    }

    /// Returns the project: `GOOGLE_CLOUD_PROJECT`, `GCLOUD_PROJECT`, the credentials' own, or gcloud's if the
    /// credentials are in gcloud's file.
    ///
    /// The project of an external account is requested from the Resource Manager, once.
    ///
    /// - Throws: Any error that ``accessToken()`` throws.
    public func project() async throws -> String? {
        let environment = self.client.environment
        if let project = environment.first(of: "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT") { return project }
        if let project = try await self.ownProject() { return project }
        guard self.search.last?.isGcloudFile(environment) == true else { return nil }
        return try await BlockingExecutor.reading.run { GcloudConfiguration(environment)?.project }
    }

    /// Returns the project that the credentials themselves name.
    func ownProject() async throws -> String? {
        let (method, client, scopes) = (self.method, self.client, self.scopes)
        return try await self.projectID.value {
            let token = CredentialToken(accessToken: { try await self.accessToken() }, quotaProject: self.quotaProject)
            return try await method.project(token, scopes, client)
        }
    }
}

extension GoogleCredentials: CustomStringConvertible, CustomReflectable {
    /// A description that names the kind but does not contain a token.
    public var description: String { "Google credentials (\(self.kind.rawValue))" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

/// A value that is obtained once, by one of several concurrent callers.
private final class OnceValue<Value: Sendable>: Sendable {
    private let stored = Mutex<Value?>(nil)
    private let flight = SingleFlight<Value>()

    func value(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        if let value = self.stored.withLock({ $0 }) { return value }
        return try await self.flight.run {
            if let value = self.stored.withLock({ $0 }) { return value }
            let value = try await operation()
            self.stored.withLock { $0 = value }
            return value
        }
    }
}
