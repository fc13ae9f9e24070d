// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// The output of the argument parser: help or the version on standard output, or one line about a usage error.
struct UsageReport {
    private let error: any Error
    private let root: any ParsableCommand.Type

    /// Creates a report about an error that one of a program's commands threw.
    init(_ error: any Error, of root: any ParsableCommand.Type) {
        self.error = error
        self.root = root
    }

    /// Returns whether the error came from the parser, such as a request for help or an invalid value.
    static func isForParser(_ error: any Error, of root: any ParsableCommand.Type) -> Bool {
        [.success, .validationFailure].contains(root.exitCode(for: error))
    }

    func exit() -> Never {
        guard self.root.exitCode(for: self.error) != .success else {
            Console.print(TerminalText(lines: self.root.fullMessage(for: self.error)))
            Self.end(.success)
        }
        let advice = [self.advice, ProcessHistory.advice(.current)].compactMap { $0 }.joined(separator: " ")
        let report = ErrorReport(CommandError.usage(self.message, advice))
        Console.note(report.text)
        if OutputOptions.isJSONWanted { Console.print(json: report.json) }
        Self.end(.usage)
    }

    private var message: String {
        let message = self.root.message(for: self.error)
        return Self.unknownCommand(message, hint: self.advice, root: self.root) ?? Self.plausible(message)
    }

    /// Replaces the parser's message about an unexpected argument where a subcommand was expected.
    ///
    /// - Parameters:
    ///   - message: The parser's message, such as `Unexpected argument 'logn'`.
    ///   - hint: The parser's hint, such as `See 'tessera --help' for more information.`, which names the command.
    ///   - root: The program's root command.
    /// - Returns: `Unknown command 'logn'. Did you mean 'login'?`, or nil if the argument is not close to a subcommand.
    static func unknownCommand(_ message: String, hint: String, root: any ParsableCommand.Type) -> String? {
        guard message.lowercased().contains("unexpected argument") else { return nil }
        let quoted = message.split(separator: "'", omittingEmptySubsequences: false)
        let path = hint.split(separator: "'").dropFirst().first?.split(separator: " ").dropFirst() ?? []
        guard quoted.count > 1, path.last == "--help" else { return nil }
        let names = Self.subcommands(of: root, at: path.dropLast())
        guard let nearest = NearestNames(to: String(quoted[1]), among: names).names.first else { return nil }
        return "Unknown command '\(quoted[1])'. Did you mean '\(nearest)'?"
    }

    /// Returns the names of a command's subcommands, or of its parent's if the command is the parent's default.
    private static func subcommands(of root: any ParsableCommand.Type, at path: ArraySlice<Substring>) -> [String] {
        guard let name = path.first else { return root.configuration.subcommands.map { $0._commandName } }
        guard let command = root.configuration.subcommands.first(where: { $0._commandName == name }) else { return [] }
        let names = Self.subcommands(of: command, at: path.dropFirst())
        let isDefault = root.configuration.defaultSubcommand == command
        return names.isEmpty && isDefault ? root.configuration.subcommands.map { $0._commandName } : names
    }

    /// Returns the parser's message without a suggestion that is too different from the typed option.
    ///
    /// The parser suggests any option that differs by at most three letters, such as `--json` for `--frob`.
    static func plausible(_ message: String) -> String {
        let parts = message.split(separator: ". Did you mean '", maxSplits: 1)
        guard parts.count == 2, let typed = parts[0].split(separator: "'").last else { return message }
        let suggestion = String(parts[1].prefix { $0 != "'" })
        let isNear = !NearestNames(to: Self.letters(typed), among: [Self.letters(suggestion)]).names.isEmpty
        return isNear ? message : String(parts[0])
    }

    /// Returns an option without its leading dashes.
    private static func letters(_ option: some StringProtocol) -> String { String(option.drop { $0 == "-" }) }

    /// The parser's hint, which names the command to get help for.
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

/// Calls `exit(3)`, which a type with a method of the same name cannot do.
private func leave(_ status: Int32) -> Never { exit(status) }

/// The names that are closest to a misspelled one.
package struct NearestNames {
    /// The closest names, at most three.
    package let names: [String]

    package init(to text: String, among names: [String]) {
        let wanted = Array(text.lowercased().utf8)
        let limit = max(2, wanted.count / 4)
        let near = names.map { (name: $0, distance: Self.distance(wanted, Array($0.lowercased().utf8))) }
            .filter { $0.distance <= limit }
            .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
        self.names = near.prefix(3).map(\.name)
    }

    /// A question such as `Did you mean a or b? `, or an empty string.
    package var question: String {
        self.names.isEmpty ? "" : "Did you mean \(self.names.joined(separator: " or "))? "
    }

    /// Returns the number of letters to insert, remove or change.
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
