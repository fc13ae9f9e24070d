// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import ArgumentParser
package import TesseraJSON

/// A format in which lists are printed.
package enum ListFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    case table, json, csv, tsv
}

/// The output options of commands that print a list.
package struct ListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The format: table, json, csv or tsv.", valueName: "format"))
    package var format: ListFormat?

    @OptionGroup package var output: OutputOptions

    package init() {}

    package func validate() throws {
        guard self.output.json, let format, format != .json else { return }
        throw ValidationError("--json and --format \(format.rawValue) cannot be used together.")
    }

    /// Whether the list is printed as JSON.
    package var isJSON: Bool { self.output.json || self.format == .json }

    /// Prints a list.
    ///
    /// - Parameters:
    ///   - json: The object for scripts.
    ///   - rows: The rows for the other formats.
    ///   - text: The text to print if no format is specified, or nil for a table.
    package func result(
        _ json: @autoclosure () -> JSONNode,
        _ rows: @autoclosure () -> ListRows,
        text: @autoclosure () -> TerminalText? = nil
    ) {
        guard !self.isJSON else { return Console.print(json: json()) }
        if self.format == nil, let text = text() { return Console.print(text) }
        switch self.format {
        case .csv: Console.print(data: rows().csv)
        case .tsv: Console.print(data: rows().tsv)
        default: Console.print(rows().text)
        }
    }
}
