// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera

/// An error of the command's own, beside those of the library.
package struct CommandError: ErrorGuidance, Sendable {
    /// A name for programs.
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

    package var isRetryable: Bool { self.status == .network }

    package static func usage(_ description: String, _ recoverySuggestion: String) -> CommandError {
        CommandError("usage", description, recoverySuggestion)
    }

    /// What the caller wrote and the library refused, as a mistake on the command line.
    package static func usage(_ name: String, _ error: some ErrorGuidance) -> CommandError {
        CommandError("usage", "\(name): \(error.description)", error.recoverySuggestion)
    }
}
