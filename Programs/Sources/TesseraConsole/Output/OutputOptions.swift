// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
package import TesseraJSON

/// The output options that all commands have.
package struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object to standard output, and messages to standard error.")
    package var json = false

    @Flag(name: .shortAndLong, help: "Print more details to standard error.")
    package var verbose = false

    package init() {}

    /// Whether the command line includes `--json` or `--format json`, even if it cannot be parsed.
    ///
    /// A value is never mistaken for the flag: `--data=--json` is a different word, the parser rejects `--data --json`,
    /// and words after `--` are not options.
    package static var isJSONWanted: Bool {
        let words = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
        return words.contains("--json") || words.contains("--format=json")
            || zip(words, words.dropFirst()).contains { $0 == "--format" && $1 == "json" }
    }

    /// Prints the result as an object for scripts or as text for users.
    package func result(_ json: @autoclosure () -> JSONNode, _ text: @autoclosure () -> TerminalText) {
        if self.json { Console.print(json: json()) } else { Console.print(text()) }
    }

    /// Prints an error that occurred after a result was printed to standard error.
    ///
    /// The result's JSON object includes the error too.
    ///
    /// - Returns: The error to throw so that the command exits with the right code.
    package func failed(_ error: any Error) -> any Error {
        let report = ErrorReport(error)
        Console.note(report.text)
        return ExitCode(report.status.rawValue)
    }

    /// Prints a remark if `--verbose` is set.
    package func remark(_ text: @autoclosure () -> TerminalText) {
        if self.verbose { Console.note("tessera: " + text()) }
    }
}
