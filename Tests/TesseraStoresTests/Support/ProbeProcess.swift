// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(TestPrograms)
internal import Foundation
internal import TestPrograms

/// `StoreProbe` in a process of its own.
enum ProbeProcess {
    /// Starts the probe; `before` are the words of a command that starts it in turn.
    static func start(
        _ arguments: [String],
        before: [String] = [],
        environment: [String: String] = [:]
    ) throws -> ChildProgram {
        try ChildProgram(
            before + [ChildProgram.built("StoreProbe")] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }
        )
    }

    /// Runs the probe to its end; its lines.
    static func run(
        _ arguments: [String],
        before: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> [String] {
        try await Self.start(arguments, before: before, environment: environment).output.lines()
    }

    /// Words that run a command in a mount namespace of its own, after the shell command `preparation`, which sees the
    /// folder as `$0`.
    static func mounting(_ preparation: String, _ folder: String) -> [String] {
        ["unshare", "--map-root-user", "--mount", "sh", "-c", preparation + " && exec \"$@\"", folder]
    }

    /// Whether this machine lets a test mount something that nobody else sees.
    static func canMount() async -> Bool {
        let words = Self.mounting("mount -t tmpfs none \"$0\"", "/mnt")
        return (try? await Self.run(["present", "-", "-"], before: words)) == ["present"]
    }
}
#endif
