// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import Tessera

/// An error of the command's own, beside those of the library.
struct CommandError: ErrorGuidance, Sendable {
    /// A name for programs.
    let code: String
    let description: String
    let whatToDo: String
    let status: ExitStatus
    let sessionSurvives: Bool

    init(
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

    var retryCanHelp: Bool { self.status == .network }

    static func usage(_ description: String, _ whatToDo: String) -> CommandError {
        CommandError("usage", description, whatToDo)
    }

    /// What the caller wrote and the library refused, as a mistake on the command line.
    static func usage(_ name: String, _ error: some ErrorGuidance) -> CommandError {
        CommandError("usage", "\(name): \(error.description)", error.whatToDo)
    }
}
#endif
