// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera

/// An error that a command reports, in addition to the library's errors.
package struct CommandError: ReportedError, Sendable {
    /// The error's name, for scripts.
    package let code: String
    package let description: String
    package let recoverySuggestion: String?
    package let status: ExitStatus
    package let endsSession: Bool

    package init(
        _ code: String,
        _ description: String,
        _ recoverySuggestion: String?,
        status: ExitStatus = .usage,
        endsSession: Bool = false
    ) {
        self.code = code
        self.description = description
        self.recoverySuggestion = recoverySuggestion
        self.status = status
        self.endsSession = endsSession
    }

    package var reportedName: String { self.code }
    package var exitStatus: ExitStatus { self.status }
    package var advice: String? { nil }
    package var isRetryable: Bool { self.status == .network }

    package static func usage(_ description: String, _ recoverySuggestion: String) -> CommandError {
        CommandError("usage", description, recoverySuggestion)
    }

    /// Returns a usage error for an argument that the library rejected.
    package static func usage(_ name: String, _ error: some ErrorGuidance) -> CommandError {
        CommandError("usage", "\(name): \(error.description)", error.recoverySuggestion)
    }
}

/// The exit codes.
///
/// Scripts depend on them, so a code never changes its meaning.
package enum ExitStatus: Int32, Sendable {
    case success = 0
    /// An unexpected error, which is a bug.
    case unexpected = 1
    /// An error in the command line, in a file that it names, or in this machine's configuration.
    case usage = 2
    /// The provider, the API or the user denied the request.
    case refused = 3
    /// A response violates the protocol or has an unexpected status such as 404, and was rejected.
    case protocolViolation = 4
    /// The network failed or a server is busy. Trying again can help.
    case network = 5
    /// The user has to sign in.
    case signInNeeded = 6
    /// The session store failed.
    case store = 7
    /// The process was interrupted by SIGINT, SIGTERM or SIGHUP.
    case interrupted = 130
}
