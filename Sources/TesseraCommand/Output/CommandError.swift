// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
package import Tessera

/// An error of the command's own, beside those of the library.
package struct CommandError: ErrorGuidance, Sendable {
    /// A name for programs.
    package let code: String
    package let description: String
    package let whatToDo: String
    package let status: ExitStatus
    package let sessionSurvives: Bool

    package init(
        _ code: String,
        _ description: String,
        _ whatToDo: String,
        status: ExitStatus = .usage,
        sessionSurvives: Bool = true
    ) {
        self.code = code
        self.description = description
        self.whatToDo = whatToDo
        self.status = status
        self.sessionSurvives = sessionSurvives
    }

    package var retryCanHelp: Bool { self.status == .network }

    package static func usage(_ description: String, _ whatToDo: String) -> CommandError {
        CommandError("usage", description, whatToDo)
    }

    /// What the caller wrote and the library refused, as a mistake on the command line.
    package static func usage(_ name: String, _ error: some ErrorGuidance) -> CommandError {
        CommandError("usage", "\(name): \(error.description)", error.whatToDo)
    }
}
#endif
