// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Logging
package import Tessera
package import TesseraConsole
internal import TesseraDefaults
internal import TesseraFetch
package import TesseraGoogle
internal import TesseraGoogleAPI
package import TesseraOAuth

/// The credentials without a user that the command line names instead of a session.
package struct CredentialChoice: Sendable {
    /// The place where the credentials are.
    enum Source: Sendable, Hashable {
        /// The first place of Google's search order that has credentials (`--adc`).
        case search
        /// A file that the user named (`--credentials`).
        case file(String)
    }

    let source: Source
    /// The user on whose behalf a service account acts, or nil.
    let subject: String?
    /// The scopes on the command line.
    let scopes: [Scope]
    /// The origins that may receive secrets and tokens in addition to Google's.
    let trustedOrigins: [OriginPattern]

    /// Creates a choice from the texts on the command line.
    ///
    /// - Throws: ``CommandError`` if an origin is not valid.
    init(_ source: Source, subject: String? = nil, scopes: [String] = [], trustedOrigins: [String] = []) throws {
        self.source = source
        self.subject = subject
        self.scopes = ScopeArgument.scopes(scopes)
        self.trustedOrigins = try trustedOrigins.map { try Self.origin($0) }
    }

    private static func origin(_ text: String) throws -> OriginPattern {
        do { return try OriginPattern(text) } catch {
            throw CommandError.usage(
                "--trusted-origin: “\(UntrustedText.printable(text, limit: 200))” is not an origin",
                "Write it like https://host, or like http://127.0.0.1:8080 for a server on this machine."
            )
        }
    }

    /// The options on the command line that choose the same credentials.
    var options: String {
        switch self.source {
        case .search: "--adc"
        case .file(let path): "--credentials \(path)"
        }
    }

    /// Plain http to loopback addresses, if a trusted origin uses it.
    package var insecure: Insecure {
        self.trustedOrigins.contains { $0.description.hasPrefix("http:") } ? .loopbackHTTP : []
    }

    /// Returns the credentials.
    ///
    /// The user named the file or chose the search, so the file may have any type. If the command line has no scopes,
    /// `defaults` are used, or those of the machine or of Google Cloud if it is nil. With `isSilent`, warnings are
    /// omitted, because the caller reports them. With `isOffline`, the search does not look for a metadata server.
    func credentials(
        scopes defaults: [Scope]?,
        isSilent: Bool = false,
        isOffline: Bool = false,
        runtime: OAuthRuntime = PlatformDefaults.credentialRuntime()
    ) async throws -> GoogleCredentials {
        var environment = GoogleEnvironment.current
        if isOffline { environment.variables["NO_GCE_CHECK"] = "true" }
        let options = GoogleCredentialsOptions(
            environment: environment,
            subject: self.subject,
            trustedOrigins: self.trustedOrigins,
            isInteractive: Console.canAsk && Console.isOutputTerminal,
            logger: Logger(label: "tessera") { _ in NoticeLog(logLevel: isSilent ? .critical : .warning) }
        )
        let credentials: GoogleCredentials
        switch self.source {
        case .search:
            credentials = try await .applicationDefault(scopes: self.scopes, options: options, runtime: runtime)
        case .file(let path):
            let scopes = self.scopes
            credentials = try await FileBytes.blocking {
                try .load(
                    path,
                    expecting: GoogleCredentialFileType.all,
                    scopes: scopes,
                    options: options,
                    runtime: runtime
                )
            }
        }
        guard credentials.scopes.isEmpty, defaults != nil || credentials.kind != .metadataServer else {
            return credentials
        }
        return credentials.with(scopes: defaults ?? [Self.cloudPlatform])
    }

    /// The scope that gcloud uses by default.
    private static let cloudPlatform = Scope("https://www.googleapis.com/auth/cloud-platform")

    /// Calls `body` with the credentials, and explains its errors.
    package func withCredentials<Result: Sendable>(
        scopes defaults: [Scope]? = nil,
        isSilent: Bool = false,
        _ body: (GoogleCredentials) async throws -> Result
    ) async throws -> Result {
        var kind: GoogleCredentialKind?
        do {
            let credentials = try await self.credentials(scopes: defaults, isSilent: isSilent)
            kind = credentials.kind
            return try await body(credentials)
        } catch {
            throw self.explained(error, kind)
        }
    }

    /// Returns the path or the address of the credentials, or nil if it is unknown.
    func location(of credentials: GoogleCredentials) -> String? {
        if case .file(let path) = self.source { return path }
        return credentials.search.last?.location
    }

    /// Returns an account that identifies the credentials in the state of interrupted uploads.
    package func account(of credentials: GoogleCredentials) -> Account {
        Account(
            issuer: self.location(of: credentials) ?? "",
            clientID: credentials.kind.rawValue,
            subject: self.subject ?? ""
        )
    }
}

extension CredentialChoice {
    /// Returns an error with advice about credentials, since the usual advice is about sessions.
    package func explained(_ error: any Error, _ kind: GoogleCredentialKind?) -> any Error {
        if let error = error as? UnauthorizedOriginError { return Self.refusal(of: error.origin) }
        guard let advice = self.advice(error, kind) else { return error }
        let report = ErrorReport(error)
        return CommandError(report.code, report.message, advice, status: report.status)
    }

    /// Returns the error for an origin that the credentials must not be sent to.
    package static func refusal(of origin: String) -> CommandError {
        CommandError(
            "originRefused",
            "The token of these credentials cannot be sent to \(UntrustedText.printable(origin))",
            "If you trust it, add --trusted-origin \(UntrustedText.printable(origin))."
        )
    }

    private func advice(_ error: any Error, _ kind: GoogleCredentialKind?) -> String? {
        switch error {
        case let error as OAuthError: error.isRetryable ? nil : self.advice(rejectedWith: error.code, kind)
        case let error as BearerChallengeError where error.isInsufficientScope: Self.advice(missing: error.scope)
        case let error as GoogleAPIError where error.isInsufficientScope: Self.advice(missing: error.neededScopes)
        case let error as BearerChallengeError where error.status == 401: "Run 'tessera doctor \(self.options)'."
        case let error as GoogleAPIError where error.httpStatus == 401: "Run 'tessera doctor \(self.options)'."
        default: nil
        }
    }

    private func advice(rejectedWith code: OAuthError.Code, _ kind: GoogleCredentialKind?) -> String {
        switch code {
        case .invalidGrant where kind == .authorizedUser: "Run 'gcloud auth application-default login'."
        case .invalidGrant where self.subject != nil:
            "Check that --subject is a user of the Workspace organization."
        case .invalidGrant: "Check that the key has not been deleted, and that this machine's clock is right."
        case .unauthorizedClient where self.subject != nil:
            "Allow the service account's client ID to use these scopes in the Admin console (domain-wide delegation)."
        case .invalidScope: "Check the values of --scope."
        default: "Run 'tessera credentials show' to see which credentials are used."
        }
    }

    private static func advice(missing scopes: [Scope]) -> String {
        guard !scopes.isEmpty else { return "Add --scope with a scope that the API accepts." }
        return "Add --scope with one of: \(UntrustedText.printable(scopes.map(\.rawValue).joined(separator: " ")))"
    }
}

/// Prints the library's warnings to standard error.
private struct NoticeLog: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let details = (event.metadata ?? [:]).map { "\($0.key): \($0.value)" }.sorted().joined(separator: ", ")
        Console.note("tessera: \(event.message)\(details.isEmpty ? "" : " (\(details))")")
    }
}
