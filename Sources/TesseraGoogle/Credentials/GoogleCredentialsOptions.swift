// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
public import Logging
public import Tessera
internal import TesseraOAuth

/// Options for finding, loading and using credentials.
public struct GoogleCredentialsOptions: Sendable {
    /// The environment variables and the home directory.
    ///
    /// Defaults to those of this process.
    public var environment: GoogleEnvironment
    /// The universe that the caller uses, or nil for `GOOGLE_CLOUD_UNIVERSE_DOMAIN` or `googleapis.com`.
    ///
    /// A file cannot select another universe, because its endpoints receive secrets.
    public var universeDomain: String?
    /// The project whose quota is charged, or nil for `GOOGLE_CLOUD_QUOTA_PROJECT` or the project in the file.
    public var quotaProject: String?
    /// The user of a Workspace organization on whose behalf a service account acts (domain-wide delegation).
    public var subject: String?
    /// The way in which a service account's key is used.
    public var serviceAccountTokens: ServiceAccountTokens
    /// Origins outside of the universe that secrets and tokens may be sent to, such as a local provider's.
    public var trustedOrigins: [OriginPattern]
    /// Whether an executable that supplies subject tokens may interact with the user in the terminal.
    ///
    /// The executable must belong to a workforce pool, and its file must contain an `output_file` and an
    /// `interactive_timeout_millis`. The executable then inherits the standard streams of this process.
    public var isInteractive: Bool
    /// The logger for warnings, such as one about a file that other users can read.
    ///
    /// Secrets are not logged.
    public var logger: Logger

    /// Creates options.
    public init(
        environment: GoogleEnvironment = .current,
        universeDomain: String? = nil,
        quotaProject: String? = nil,
        subject: String? = nil,
        serviceAccountTokens: ServiceAccountTokens = .exchanged,
        trustedOrigins: [OriginPattern] = [],
        isInteractive: Bool = false,
        logger: Logger = Logger(label: "tessera")
    ) {
        self.environment = environment
        self.universeDomain = universeDomain
        self.quotaProject = quotaProject
        self.subject = subject
        self.serviceAccountTokens = serviceAccountTokens
        self.trustedOrigins = trustedOrigins
        self.isInteractive = isInteractive
        self.logger = logger
    }
}

extension GoogleCredentialsOptions {
    /// The universe that the caller named, in the options or in the environment, or nil.
    var namedUniverse: String? {
        // google-auth does not read this variable, but Google's client libraries do.
        self.universeDomain ?? self.environment["GOOGLE_CLOUD_UNIVERSE_DOMAIN"]
    }

    /// Returns the client for requests.
    ///
    /// - Throws: ``GoogleCredentialsError`` with `invalidConfiguration` if the universe is not a domain.
    func client(_ runtime: OAuthRuntime) throws(GoogleCredentialsError) -> CredentialClient {
        let universe = self.namedUniverse ?? EndpointTrust.defaultUniverse
        guard universe.contains("."), (try? OriginPattern("https://*.\(universe)")) != nil else {
            throw GoogleCredentialsError(
                .invalidConfiguration,
                reason: "\"\(UntrustedText.printable(universe))\" is not the domain of a universe"
            )
        }
        return CredentialClient(
            runtime: runtime,
            trust: EndpointTrust(universeDomain: universe, trustedOrigins: self.trustedOrigins),
            environment: self.environment,
            logger: self.logger
        )
    }

    /// Returns the project whose quota is charged, of which the file's has the lowest precedence.
    func quotaProject(inFile project: String?) -> String? {
        self.quotaProject ?? self.environment["GOOGLE_CLOUD_QUOTA_PROJECT"] ?? project
    }
}
