// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
package import TesseraJSON

/// How every command speaks.
package struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object to standard output, and messages to standard error.")
    package var json = false

    @Flag(name: .shortAndLong, help: "Print more details to standard error.")
    package var verbose = false

    package init() {}

    /// Whether the command line asks for an object, where it could not be parsed as well.
    ///
    /// A value is never taken for the flag: `--data=--json` is another word, the parser refuses `--data --json`, and what
    /// follows `--` is no option.
    static var isJSONWanted: Bool { CommandLine.arguments.dropFirst().prefix { $0 != "--" }.contains("--json") }

    /// The result: an object for programs, or text for people.
    package func result(_ json: @autoclosure () -> JSONNode, _ text: @autoclosure () -> TerminalText) {
        if self.json { Console.print(json: json()) } else { Console.print(text()) }
    }

    /// Says on standard error what failed after a result was printed; the result's object has it, too.
    ///
    /// - Returns: what the command throws to end with the error's exit code.
    package func failed(_ error: any Error) -> any Error {
        let report = ErrorReport(error)
        Console.note(report.text)
        return ExitCode(report.status.rawValue)
    }

    /// A remark that only `--verbose` wants.
    package func remark(_ text: @autoclosure () -> TerminalText) {
        if self.verbose { Console.note("tessera: " + text()) }
    }
}
