// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraAgent
package import TesseraConsole
internal import TesseraGoogle
internal import TesseraGoogleAPI
internal import TesseraMigration

extension AgentError: ReportedError {
    package var reportedName: String { self.code.description }

    package var exitStatus: ExitStatus {
        switch self.code {
        case .loginRequired: .signInNeeded
        case .insufficientScope, .unsupportedTokenType: .refused
        case .temporarilyUnavailable, .noResponse: .network
        case .serverError: .store
        default: .usage
        }
    }

    package var advice: String? { nil }
}

extension GoogleAPIError: ReportedError {
    package var reportedName: String { "http_\(self.httpStatus)" }

    package var exitStatus: ExitStatus {
        if self.httpStatus == 401 { return .signInNeeded }
        return self.isRetryable ? .network : .refused
    }

    package var advice: String? {
        guard self.isInsufficientScope, !self.neededScopes.isEmpty else { return nil }
        let scopes = self.neededScopes.map(\.rawValue).joined(separator: " ")
        return "Run 'tessera scopes add' with one of: \(UntrustedText.printable(scopes))"
    }
}

extension GoogleCredentialsError: ReportedError {
    package var reportedName: String { self.code.description }

    package var exitStatus: ExitStatus {
        if self.isRetryable { return .network }
        switch self.code {
        case .notFound, .reauthenticationRequired: return .signInNeeded
        case .rejected: return .refused
        case .metadataServer: return self.status == nil ? .protocolViolation : .refused
        default: return .usage
        }
    }

    package var advice: String? {
        switch self.code {
        case .untrustedEndpoint: "If you trust this server, add --trusted-origin with its origin, such as https://host."
        case .unsupportedOperation where self.reason.contains("act as another user"):
            "Remove --subject, or use a service account's key or an impersonated service account."
        default: nil
        }
    }
}

extension MigrationError: ReportedError {
    package var reportedName: String { self.code.description }

    package var exitStatus: ExitStatus {
        [.ended, .noRefreshToken].contains(self.code) ? .signInNeeded : .usage
    }

    package var advice: String? {
        switch self.code {
        case .anotherProvider:
            "If you trust the provider, specify it with --issuer URL. The refresh token is sent only to that provider."
        case .clientMissing: "Specify it with --client FILE, or with --client-id ID and --client-secret-file FILE."
        case .interrupted: "Run 'tessera token --refresh' first."
        default: nil
        }
    }
}

extension MissingScopeError: ReportedError {
    package var reportedName: String { "missingScope" }
    package var exitStatus: ExitStatus { .refused }

    package var advice: String? {
        "Run 'tessera scopes add' with one of: \(self.anyOf.map(\.rawValue).joined(separator: " "))"
    }
}
