// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// What the parser of the command line ends with: help and version on standard output, or one line about a mistake.
struct UsageReport {
    private let error: any Error
    private let root: any ParsableCommand.Type

    /// Creates the report of an error of a program.
    init(_ error: any Error, of root: any ParsableCommand.Type) {
        self.error = error
        self.root = root
    }

    /// Whether the error is the parser's own: help that was asked for, a value that is not valid.
    static func isForParser(_ error: any Error, of root: any ParsableCommand.Type) -> Bool {
        [.success, .validationFailure].contains(root.exitCode(for: error))
    }

    func exit() -> Never {
        guard self.root.exitCode(for: self.error) != .success else {
            Console.print(TerminalText(lines: self.root.fullMessage(for: self.error)))
            Self.end(.success)
        }
        let report = ErrorReport(CommandError.usage(self.message, self.advice))
        Console.note(report.text)
        if OutputOptions.isJSONWanted { Console.print(json: report.json) }
        Self.end(.usage)
    }

    private var message: String { Self.plausible(self.root.message(for: self.error)) }

    /// The parser's message, without a suggestion that is unlike the option that was typed.
    ///
    /// The parser suggests whatever differs in at most three letters, `--json` for `--frob` too.
    static func plausible(_ message: String) -> String {
        let parts = message.split(separator: ". Did you mean '", maxSplits: 1)
        guard parts.count == 2, let typed = parts[0].split(separator: "'").last else { return message }
        let suggestion = String(parts[1].prefix { $0 != "'" })
        let isNear = !NearestNames(to: Self.letters(typed), among: [Self.letters(suggestion)]).names.isEmpty
        return isNear ? message : String(parts[0])
    }

    /// An option without its dashes.
    private static func letters(_ option: some StringProtocol) -> String { String(option.drop { $0 == "-" }) }

    /// The parser's own hint, which names the command that was meant.
    private var advice: String {
        let full = self.root.fullMessage(for: self.error)
        let hint = full.split(whereSeparator: \.isNewline).last { $0.hasPrefix("  See '") }
        return hint.map { String($0.dropFirst(2)) }
            ?? "See '\(self.root.configuration.commandName ?? "tessera") --help'."
    }

    private static func end(_ status: ExitStatus) -> Never {
        leave(status.rawValue)
    }
}

/// `exit(3)`, which a type with a method of that name cannot call.
private func leave(_ status: Int32) -> Never { exit(status) }

/// What somebody may have meant who misspelt a name.
package struct NearestNames {
    /// The nearest first, at most three.
    package let names: [String]

    package init(to text: String, among names: [String]) {
        let wanted = Array(text.lowercased().utf8)
        let limit = max(2, wanted.count / 4)
        let near = names.map { (name: $0, distance: Self.distance(wanted, Array($0.lowercased().utf8))) }
            .filter { $0.distance <= limit }
            .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
        self.names = near.prefix(3).map(\.name)
    }

    /// `Did you mean a or b? `, or nothing.
    package var question: String {
        self.names.isEmpty ? "" : "Did you mean \(self.names.joined(separator: " or "))? "
    }

    /// How many letters have to be added, taken away or changed.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var previous = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let change = previous[column] + (byte == other ? 0 : 1)
                current.append(min(change, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous.last ?? left.count
    }
}
