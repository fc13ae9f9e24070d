// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
package import TesseraJSON

/// The output options of every command.
package struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object to standard output, and messages to standard error.")
    package var json = false

    @Flag(name: .shortAndLong, help: "Print more details to standard error.")
    package var verbose = false

    package init() {}

    /// Whether the command line has `--json`, even if it cannot be parsed.
    ///
    /// A value is never mistaken for the flag: `--data=--json` is another word, the parser rejects `--data --json`, and
    /// words after `--` are not options.
    static var isJSONWanted: Bool { CommandLine.arguments.dropFirst().prefix { $0 != "--" }.contains("--json") }

    /// The result: an object for programs, or text for people.
    package func result(_ json: @autoclosure () -> JSONNode, _ text: @autoclosure () -> TerminalText) {
        if self.json { Console.print(json: json()) } else { Console.print(text()) }
    }

    /// Prints to standard error what failed after a result was printed.
    ///
    /// The result's object includes the error too.
    ///
    /// - Returns: The error to throw so that the command exits with the error's code.
    package func failed(_ error: any Error) -> any Error {
        let report = ErrorReport(error)
        Console.note(report.text)
        return ExitCode(report.status.rawValue)
    }

    /// Prints a remark with `--verbose` only.
    package func remark(_ text: @autoclosure () -> TerminalText) {
        if self.verbose { Console.note("tessera: " + text()) }
    }
}
