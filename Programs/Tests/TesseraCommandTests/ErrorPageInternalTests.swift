// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraAgent
internal import TesseraConsole
internal import TesseraFetch
internal import TesseraGoogle
internal import TesseraGoogleAPI
internal import TesseraJOSE
internal import TesseraMigration
internal import Testing

@testable internal import TesseraCommand

@Suite("The page of errors")
struct ErrorPageInternalTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Docs").standardizedFileURL

    /// Set `TESSERA_WRITE_ERRORS=1` to write the page.
    @Test("Lists each error with its message, advice and exit code")
    func page() throws {
        let file = Self.folder.appending(path: "Errors.md")
        let page = Self.sections.map(\.text).reduce(into: Self.introduction) { $0 += "\n" + $1 }
        if ProcessInfo.processInfo.environment["TESSERA_WRITE_ERRORS"] != nil {
            try page.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == page, "Run 'make errors'.")
    }

    @Test("Lists every code that the public API declares", arguments: sections.filter { !$0.declaredIn.isEmpty })
    func complete(_ section: Section) throws {
        let lists = try section.declaredIn.map {
            try String(contentsOf: Self.folder.appending(path: "API/\($0).txt"), encoding: .utf8)
        }
        let pattern = try Regex("static let (\\w+): \(section.codeType)\\n", as: (Substring, Substring).self)
        let declared = Set(lists.flatMap { $0.matches(of: pattern).map { String($0.output.1) } })
        #expect(declared.count == section.errors.count)
        #expect(declared == Set(section.errors.map(\.name)))
    }

    private static let introduction = """
        # Errors

        Each error of the library conforms to `ErrorGuidance`: its `description` says what failed, `recoverySuggestion` what to
        do, `endsSession` whether the user has to sign in again, and `isRetryable` whether the same call can succeed later. The
        command line prints both texts in one line, and exits with the code in the last column. See
        [exit codes](CommandLine.md#exit-codes). An error never contains a token or another secret.

        Capital letters stand for the part of a message that differs. `make errors` writes this page.

        """
}

extension ErrorPageInternalTests {
    /// The errors of one type, as a table.
    struct Section: Sendable, CustomStringConvertible {
        let title: String
        /// The type whose static properties are the codes, as the lists of the public API write it.
        let codeType: String
        /// The modules whose lists declare the codes; empty if the type has no codes.
        let declaredIn: [String]
        /// The errors by the Swift names of their codes.
        let errors: [(name: String, error: any Error)]

        var description: String { self.title }

        var text: String {
            let rows = self.errors.map { name, error in
                let report = ErrorReport(error)
                let code = self.declaredIn.isEmpty || name == report.code ? "" : " (`.\(name)`)"
                let marks = [report.endsSession ? "ends the session" : nil, report.isRetryable ? "retryable" : nil]
                let cells = [
                    "`\(report.code)`\(code)", report.message, report.recoverySuggestion,
                    marks.compactMap(\.self).joined(separator: ", "), "\(report.status.rawValue)",
                ]
                return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
            }
            return """
                ## \(self.title)

                | Code | Message | What to do | | Exit code |
                | --- | --- | --- | --- | --- |
                \(rows.joined())
                """
        }
    }

    static let sections: [Section] = [
        Section(
            title: "SignInError",
            codeType: "SignInError.Code",
            declaredIn: ["Tessera"],
            errors: signIn.map { ($0, SignInError($1)) }
        ),
        Section(
            title: "SessionEndedError",
            codeType: "SessionEndedError.Code",
            declaredIn: ["Tessera"],
            errors: ended.map { ($0, SessionEndedError($1)) }
        ),
        Section(
            title: "StoreError",
            codeType: "StoreError.Code",
            declaredIn: ["Tessera"],
            errors: store.map { ($0, StoreError($1, location: "LOCATION")) }
        ),
        Section(
            title: "OAuthError",
            codeType: "OAuthError.Code",
            declaredIn: ["TesseraOAuth"],
            errors: oauth.map { ($0, OAuthError($1)) }
        ),
        Section(
            title: "ProtocolViolationError",
            codeType: "ProtocolViolationError.Rule",
            declaredIn: ["TesseraJOSE", "TesseraOAuth"],
            errors: rules.map {
                ($0, ProtocolViolationError($1, expected: "EXPECTED", actual: "ACTUAL", section: "SECTION"))
            }
        ),
        Section(
            title: "TransportError",
            codeType: "TransportError.Code",
            declaredIn: ["TesseraOAuth"],
            errors: transport.map { ($0, TransportError($1, host: "HOST")) }
        ),
        Section(
            title: "AgentError",
            codeType: "AgentError.Code",
            declaredIn: ["TesseraAgent"],
            errors: agent.map { ($0, AgentError($1)) }
        ),
        Section(
            title: "MigrationError",
            codeType: "MigrationError.Code",
            declaredIn: ["TesseraMigration"],
            errors: migration.map { ($0, MigrationError($1)) }
        ),
        Section(
            title: "GoogleCredentialsError",
            codeType: "GoogleCredentialsError.Code",
            declaredIn: ["TesseraGoogle"],
            errors: credentials.map { ($0, GoogleCredentialsError($1, at: "LOCATION", reason: "REASON")) }
        ),
        Section(title: "Other errors", codeType: "", declaredIn: [], errors: others.map { ("", $0) }),
    ]

    private static let signIn: [(String, SignInError.Code)] = [
        ("timedOut", .timedOut), ("noBrowser", .noBrowser), ("noListener", .noListener), ("canceled", .canceled),
        ("accountMismatch", .accountMismatch), ("domainMismatch", .domainMismatch),
        ("scopesAlreadyGranted", .scopesAlreadyGranted), ("invalidConfiguration", .invalidConfiguration),
    ]
    private static let ended: [(String, SessionEndedError.Code)] = [
        ("refused", .refused), ("expired", .expired), ("interrupted", .interrupted), ("signedOut", .signedOut),
        ("loggedOut", .loggedOut), ("identityChanged", .identityChanged), ("claimChanged", .claimChanged),
        ("keyLost", .keyLost), ("other", .other),
    ]
    private static let store: [(String, StoreError.Code)] = [
        ("corrupt", .corrupt), ("newerFormat", .newerFormat), ("keyMissing", .keyMissing),
        ("wrongPassphrase", .wrongPassphrase), ("weakPassphrase", .weakPassphrase),
        ("permissionDenied", .permissionDenied), ("otherOwner", .otherOwner), ("full", .full), ("busy", .busy),
        ("postponed", .postponed), ("unreachable", .unreachable), ("unverifiedServer", .unverifiedServer),
        ("leaseLost", .leaseLost), ("locked", .locked), ("deviceLocked", .deviceLocked), ("unavailable", .unavailable),
        ("notPersisted", .notPersisted), ("networkFileSystem", .networkFileSystem), ("system", .system),
    ]
    private static let oauth: [(String, OAuthError.Code)] = [
        ("accessDenied", .accessDenied), ("invalidClient", .invalidClient), ("invalidGrant", .invalidGrant),
        ("invalidRequest", .invalidRequest), ("invalidScope", .invalidScope), ("invalidTarget", .invalidTarget),
        ("unauthorizedClient", .unauthorizedClient), ("unsupportedGrantType", .unsupportedGrantType),
        ("unsupportedResponseType", .unsupportedResponseType), ("serverError", .serverError),
        ("temporarilyUnavailable", .temporarilyUnavailable), ("loginRequired", .loginRequired),
        ("consentRequired", .consentRequired), ("interactionRequired", .interactionRequired),
        ("accountSelectionRequired", .accountSelectionRequired), ("authorizationPending", .authorizationPending),
        ("slowDown", .slowDown), ("expiredToken", .expiredToken), ("expiredLoginHintToken", .expiredLoginHintToken),
        ("unknownUserID", .unknownUserID), ("missingUserCode", .missingUserCode), ("invalidUserCode", .invalidUserCode),
        ("invalidBindingMessage", .invalidBindingMessage), ("invalidDPoPProof", .invalidDPoPProof),
        ("useDPoPNonce", .useDPoPNonce),
    ]
    private static let rules: [(String, ProtocolViolationError.Rule)] = [
        ("endpoint", .endpoint), ("issuerForm", .issuerForm), ("issuerMatch", .issuerMatch),
        ("metadataFormat", .metadataFormat), ("resourceMatch", .resourceMatch),
        ("authorizationServer", .authorizationServer), ("missingMetadata", .missingMetadata),
        ("codeChallengeMethod", .codeChallengeMethod), ("dpopAlgorithm", .dpopAlgorithm),
        ("redirectURI", .redirectURI), ("redirectFormat", .redirectFormat), ("state", .state),
        ("redirectIssuer", .redirectIssuer), ("redirectReuse", .redirectReuse),
        ("authorizationCode", .authorizationCode), ("pushedRequestFormat", .pushedRequestFormat),
        ("tokenResponseFormat", .tokenResponseFormat), ("tokenType", .tokenType),
        ("accessTokenForm", .accessTokenForm), ("scopeForm", .scopeForm), ("issuedTokenType", .issuedTokenType),
        ("jwtType", .jwtType), ("jwtIssuer", .jwtIssuer), ("jwtAudience", .jwtAudience), ("jwtTime", .jwtTime),
        ("jwtClaims", .jwtClaims), ("signingKey", .signingKey), ("deviceAuthorization", .deviceAuthorization),
        ("backchannelAuthentication", .backchannelAuthentication), ("idTokenMissing", .idTokenMissing),
        ("idTokenAuthorizedParty", .idTokenAuthorizedParty), ("idTokenSubject", .idTokenSubject),
        ("idTokenNonce", .idTokenNonce), ("idTokenAuthenticationTime", .idTokenAuthenticationTime),
        ("idTokenAuthenticationContext", .idTokenAuthenticationContext), ("idTokenHash", .idTokenHash),
        ("idTokenAuthenticationRequest", .idTokenAuthenticationRequest), ("idTokenFrontChannel", .idTokenFrontChannel),
        ("idTokenContinuity", .idTokenContinuity), ("idTokenRequiredClaim", .idTokenRequiredClaim),
        ("userInfoSubject", .userInfoSubject), ("userInfoFormat", .userInfoFormat), ("logoutToken", .logoutToken),
        ("introspectionFormat", .introspectionFormat), ("registration", .registration), ("jwsFormat", .jwsFormat),
        ("jwsAlgorithm", .jwsAlgorithm), ("jwsCritical", .jwsCritical), ("jwsSignature", .jwsSignature),
        ("jwkFormat", .jwkFormat), ("jwkSetFormat", .jwkSetFormat), ("jweDecryption", .jweDecryption),
        ("jweUnsupported", .jweUnsupported),
    ]
    private static let transport: [(String, TransportError.Code)] = [
        ("cannotConnect", .cannotConnect), ("connectionLost", .connectionLost), ("timedOut", .timedOut),
        ("nameResolution", .nameResolution), ("tls", .tls), ("insecureURL", .insecureURL), ("invalidURL", .invalidURL),
        ("invalidResponse", .invalidResponse), ("bodyTooLarge", .bodyTooLarge), ("bodyAlreadyRead", .bodyAlreadyRead),
        ("unusableProxy", .unusableProxy), ("unusableLibrary", .unusableLibrary),
    ]
    private static let agent: [(String, AgentError.Code)] = [
        ("notRunning", .notRunning), ("alreadyRunning", .alreadyRunning), ("anotherUser", .anotherUser),
        ("unsafeLocation", .unsafeLocation), ("unusableSocket", .unusableSocket),
        ("unwritableAudit", .unwritableAudit), ("noResponse", .noResponse),
        ("loginRequired", .loginRequired), ("accountSelectionRequired", .accountSelectionRequired),
        ("insufficientScope", .insufficientScope), ("unsupportedTokenType", .unsupportedTokenType),
        ("invalidRequest", .invalidRequest), ("temporarilyUnavailable", .temporarilyUnavailable),
        ("serverError", .serverError),
    ]
    private static let migration: [(String, MigrationError.Code)] = [
        ("unknownFormat", .unknownFormat), ("damaged", .damaged), ("noCredentials", .noCredentials),
        ("noRefreshToken", .noRefreshToken), ("anotherProvider", .anotherProvider), ("anotherClient", .anotherClient),
        ("clientMissing", .clientMissing), ("clientUnsupported", .clientUnsupported), ("bound", .bound),
        ("rotating", .rotating), ("ended", .ended), ("interrupted", .interrupted),
    ]
    private static let credentials: [(String, GoogleCredentialsError.Code)] = [
        ("notFound", .notFound), ("unreadableFile", .unreadableFile), ("invalidFile", .invalidFile),
        ("unexpectedType", .unexpectedType), ("unsupportedType", .unsupportedType),
        ("untrustedEndpoint", .untrustedEndpoint), ("universeMismatch", .universeMismatch),
        ("reauthenticationRequired", .reauthenticationRequired), ("unsupportedOperation", .unsupportedOperation),
        ("invalidConfiguration", .invalidConfiguration), ("subjectToken", .subjectToken),
        ("metadataServer", .metadataServer), ("rejected", .rejected),
    ]
    private static let others: [any Error] = [
        HTTPStatusError(status: 404, endpoint: "ENDPOINT"), HTTPStatusError(status: 503, endpoint: "ENDPOINT"),
        InvalidRequestError("NAME", reason: "REASON"), FileError(.exists, path: "PATH"), FileError(.busy, path: "PATH"),
        FileError(.changed, path: "PATH"), FileError(.notRegular, path: "PATH"), FileError(.foreignOwner, path: "PATH"),
        UploadError(.noSession), UploadError(.cannotRewind), UploadError(.length), CancellationError(),
    ]
}
