// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms

/// Runs `SecretServiceProbe` in a child process on a session's bus.
enum Probe {
    /// Runs these commands in order and returns the output lines.
    static func run(
        _ lines: String...,
        on session: KeyringSession,
        options: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> [String] {
        let program = try Self.start(on: session, options: options, environment: environment)
        program.send(lines.map { $0 + "\n" }.joined())
        program.closeInput()
        return await program.output.lines()
    }

    /// Whether the response to a command is a single line with this prefix.
    static func responses(_ beginning: String, to line: String, on session: KeyringSession) async throws -> Bool {
        let said = try await Self.run(line, on: session)
        return said.count == 1 && said[0].hasPrefix(beginning)
    }

    static func start(
        on session: KeyringSession,
        options: [String] = [],
        environment: [String: String] = [:]
    ) throws -> ChildProgram {
        let variables = session.environment.merging(environment) { $1 }.filter { !$0.value.isEmpty }
        return try ChildProgram([ChildProgram.built("SecretServiceProbe")] + options, environment: variables)
    }
}
