// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
@testable internal import TesseraCommand
@testable internal import TesseraConsole
internal import Testing

@Suite("Usage errors")
struct UsageReportInternalTests {
    @Test(
        "Suggests a subcommand for a misspelled one",
        arguments: [
            ([], "logn", "login"), ([], "acounts", "accounts"), (["scopes"], "ad", "add"),
            (["scopes", "list"], "ad", "add"),
            (["accounts", "list"], "selct", "select"), (["agent"], "stat", "start"),
        ]
    )
    func suggestion(_ path: [String], _ typed: String, _ command: String) {
        #expect(Self.message(path + [typed]) == "Unknown command '\(typed)'. Did you mean '\(command)'?")
    }

    @Test(
        "Keeps the parser's message if no subcommand is similar",
        arguments: [["frobnicate"], ["login", "work"], ["status", "logn"], ["login", "--frob"]]
    )
    func noSuggestion(_ arguments: [String]) {
        #expect(Self.message(arguments) == nil)
    }

    @Test("Abstracts are under 60 characters, and help paragraphs have no line breaks")
    func help() throws {
        var commands: [any ParsableCommand.Type] = [TesseraCommand.self]
        while let command = commands.popLast() {
            let configuration = command.configuration
            commands += configuration.subcommands
            #expect(configuration.abstract.count < 60 && !configuration.abstract.hasSuffix("."), "\(command)")
            #expect(configuration.abstract.first?.isUppercase == true, "\(command)")
            let lines = configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
            for (line, next) in zip(lines, lines.dropFirst()) where !line.isEmpty && !next.isEmpty {
                #expect(next.hasPrefix("  "), "\(command): \(line)")
            }
        }
        #expect(TesseraCommand.helpMessage(columns: 80).contains("TOKENS AND CALLS SUBCOMMANDS:"))
    }

    /// Parses an invalid command line and returns the message about an unknown command.
    private static func message(_ arguments: [String]) -> String? {
        do {
            _ = try TesseraCommand.parseAsRoot(arguments)
            Issue.record("\(arguments) was parsed")
            return nil
        } catch {
            let full = TesseraCommand.fullMessage(for: error)
            let hint = full.split(whereSeparator: \.isNewline).last { $0.hasPrefix("  See '") } ?? ""
            return UsageReport.unknownCommand(
                TesseraCommand.message(for: error),
                hint: String(hint),
                root: TesseraCommand.self
            )
        }
    }
}
