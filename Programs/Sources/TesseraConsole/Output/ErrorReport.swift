// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera
internal import TesseraFetch
internal import TesseraGoogle
internal import TesseraJOSE
package import TesseraJSON

/// An error as a line of text and as a JSON object.
package struct ErrorReport: Sendable {
    package let code: String
    package let message: String
    package let recoverySuggestion: String
    package let endsSession: Bool
    package let isRetryable: Bool
    package let status: ExitStatus
    /// The possible causes, most likely first.
    let findings: [Finding]

    /// Creates a report about an error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - account: The account whose session failed, for commands that process several accounts.
    package init(_ error: any Error, of account: String? = nil) {
        let error = UnofferedFeature.error(error) ?? error
        let (code, status) = Self.classify(error)
        let subject = account.map { Self.line($0) + ": " } ?? ""
        self.code = code
        self.status = status
        self.findings = Self.findings(error)
        guard let guidance = error as? any ErrorGuidance else {
            let isInterruption = error is CancellationError
            let words = isInterruption ? "Interrupted" : "An unexpected error occurred (\(type(of: error)))"
            self.message = subject + words
            self.recoverySuggestion =
                isInterruption
                ? "A call that was already sent may have taken effect. Check that before you run the command again."
                : "Report this as a bug."
            self.endsSession = false
            self.isRetryable = false
            return
        }
        self.message = subject + Self.line(guidance.description)
        self.recoverySuggestion = Self.line(Self.advice(guidance))
        self.endsSession = guidance.endsSession
        self.isRetryable = guidance.isRetryable
    }

    /// The message and the advice on one line.
    package var text: TerminalText {
        let end = self.message.hasSuffix(".") || self.message.hasSuffix("?") ? "" : "."
        return "tessera: \(self.message)\(end)\(self.recoverySuggestion.isEmpty ? "" : " \(self.recoverySuggestion)")"
    }

    /// The JSON object that `--json` prints.
    package var json: JSONNode { .object(self.members) }

    /// The JSON members that describe the error in a result.
    package var members: [JSONMember] {
        let error: JSONNode = [
            "code": .string(self.code),
            "message": .string(self.message),
            "recoverySuggestion": .string(self.recoverySuggestion),
            "endsSession": .bool(self.endsSession),
            "isRetryable": .bool(self.isRetryable),
            // Scripts written for earlier versions read these aliases.
            "whatToDo": .string(self.recoverySuggestion),
            "sessionSurvives": .bool(!self.endsSession),
            "retryCanHelp": .bool(self.isRetryable),
            "exitCode": .integer(Int64(self.status.rawValue)),
            "findings": .array(self.findings.map(\.json)),
        ]
        return [JSONMember(name: "error", value: error)]
    }

    /// Returns the library's advice in terms of this program's commands and options.
    private static func advice(_ error: any ErrorGuidance) -> String {
        switch error {
        case let error as any ReportedError: error.advice ?? error.recoverySuggestion ?? ""
        case let error as UnauthorizedOriginError:
            "Add --allow-origin \(UntrustedText.printable(error.origin)) if you trust it. \(error.recoverySuggestion ?? "")"
        case let error as BearerChallengeError where error.isInsufficientScope:
            error.scope.isEmpty
                ? "Request more scopes with 'tessera scopes add'."
                : "Run 'tessera scopes add' with one of: \(error.scope.map(\.rawValue).joined(separator: " "))"
        case let error as BearerChallengeError where error.status == 401: "Sign in again with 'tessera login'."
        case let error as ProtocolViolationError where error.rule == .metadataFormat:
            "Check the issuer, and check that no proxy or network sign-in page intercepts the request."
        case let error as ProtocolViolationError
        where error.rule == .registration && error.expected.hasPrefix("client_secret_expires_at with "):
            "Add --accept-missing-expiry to accept a client secret without an expiration time."
        case let error as TransportError where error.code == .insecureURL:
            "Use https. Plain http is allowed only for loopback addresses, with --allow-loopback-http."
        case let error as SignInError where error.code == .noBrowser:
            "Choose another browser with --browser, or open the URL yourself with --no-browser."
        case let error as SessionEndedError:
            (error.explanation?.fix ?? "Run 'tessera login' to sign in again.")
                + (error.code.isRefusal ? " Run 'tessera doctor' for details." : "")
        case let error as FileError where error.code == .exists:
            "Choose another name with --output, or replace the file with --force."
        case let error as OAuthError: Self.findings(error).first?.fix ?? error.recoverySuggestion ?? ""
        default: error.recoverySuggestion ?? ""
        }
    }

    /// Returns the findings for an ended session, or the diagnosis of any other error.
    private static func findings(_ error: any Error) -> [Finding] {
        if let ended = error as? SessionEndedError { return ended.findings }
        let names = (error as? OAuthError).map { [$0.subtype, $0.code.rawValue] } ?? []
        // The provider is unknown here, but some error names are used only by Google.
        let isIssuedByGoogle = names.contains { $0.map { RefreshTokenPolicy.google.refusals[$0] != nil } ?? false }
        return Diagnosis(of: error, policy: isIssuedByGoogle ? .google : nil, now: WallClock.now).findings
    }

    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// Returns the name and the exit code for an error.
    private static func classify(_ error: any Error) -> (code: String, status: ExitStatus) {
        switch error {
        case let error as any ReportedError: (error.reportedName, error.exitStatus)
        case let error as OAuthError:
            (UntrustedText.printable(error.code.rawValue, limit: 60), error.isRetryable ? .network : .refused)
        case let error as BearerChallengeError:
            (
                UntrustedText.printable(error.error ?? "http_\(error.status)", limit: 60),
                error.status == 401 ? .signInNeeded : .refused
            )
        case let error as HTTPStatusError:
            ("http_\(error.status)", error.isTransient ? .network : .protocolViolation)
        case let error as TransportError:
            (error.code.description, [.insecureURL, .invalidURL].contains(error.code) ? .usage : .network)
        case let error as ProtocolViolationError: (error.rule.rawValue, .protocolViolation)
        case let error as SessionEndedError: (error.code.description, .signInNeeded)
        case let error as StoreError: (error.code.description, .store)
        case let error as SignInError: (error.code.description, Self.status(of: error.code))
        case is UnauthorizedOriginError: ("originRefused", .usage)
        case is FileError: ("file", .usage)
        case is UploadError: ("upload", .protocolViolation)
        case is InvalidRequestError: ("usage", .usage)
        case is CancellationError: ("interrupted", .interrupted)
        default: ("unexpected", .unexpected)
        }
    }

    private static func status(of code: SignInError.Code) -> ExitStatus {
        switch code {
        case .timedOut: .network
        case .accountMismatch, .domainMismatch, .canceled: .refused
        default: .usage
        }
    }
}

/// An error from a program, or from a library module that only some programs use.
package protocol ReportedError: ErrorGuidance {
    /// The error's name, for scripts.
    var reportedName: String { get }
    var exitStatus: ExitStatus { get }
    /// The advice in terms of the program's commands and options, or nil to use the error's own.
    var advice: String? { get }
}

extension Finding {
    /// The JSON object for the finding.
    package var json: JSONNode {
        [
            "code": .string(self.code.description), "certainty": .string(self.certainty.rawValue),
            "cause": .string(self.cause), "fix": .string(self.fix),
            // Scripts written for earlier versions read this alias.
            "found": .string(self.cause),
        ]
    }
}

/// Explains errors for features that the command line requests and the provider does not offer.
enum UnofferedFeature {
    /// The optional endpoints, the features that need them, and advice on what to do without them.
    private static let endpoints: [(name: String, feature: String, advice: String)] = [
        ("device_authorization_endpoint", "sign-in on another device", "Remove --device."),
        ("pushed_authorization_request_endpoint", "pushed authorization requests (PAR)", "Remove --par."),
        (
            "registration_endpoint", "dynamic client registration",
            "Register a client on the provider's own pages, and specify it with --client-id or --client."
        ),
        (
            "userinfo_endpoint", "the user's claims",
            "Use the claims of the ID token: tessera token --id-token | tessera inspect"
        ),
    ]

    /// Returns the error in terms of this program's options, or nil for any other error.
    static func error(_ error: any Error) -> CommandError? {
        guard let violation = error as? ProtocolViolationError else { return nil }
        if violation.rule == .dpopAlgorithm {
            return Self.error(violation, "tokens bound to a key (DPoP) with ES256", "Remove --dpop.")
        }
        guard violation.rule == .missingMetadata,
            let endpoint = Self.endpoints.first(where: { violation.expected.hasPrefix($0.name + " ") })
        else { return nil }
        return Self.error(violation, endpoint.feature, endpoint.advice)
    }

    private static func error(_ violation: ProtocolViolationError, _ feature: String, _ advice: String) -> CommandError
    {
        CommandError(violation.rule.rawValue, "The provider does not offer \(feature)", advice)
    }
}
