// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(TestPrograms)
internal import Foundation
internal import TestPrograms

/// Runs `StoreProbe` in a child process.
enum ProbeProcess {
    /// Starts the probe with a command prefix.
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

    /// Runs the probe until it exits and returns its output lines.
    static func run(
        _ arguments: [String],
        before: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> [String] {
        try await Self.start(arguments, before: before, environment: environment).output.lines()
    }

    /// Returns a command prefix that prepares a new mount namespace with the shell command `preparation`.
    ///
    /// The shell command gets `folder` as `$0`.
    static func mounting(_ preparation: String, _ folder: String) -> [String] {
        ["unshare", "--map-root-user", "--mount", "sh", "-c", preparation + " && exec \"$@\"", folder]
    }

    /// Whether this machine allows tests to mount a file system in a private namespace.
    static func canMount() async -> Bool {
        let words = Self.mounting("mount -t tmpfs none \"$0\"", "/mnt")
        return (try? await Self.run(["present", "-", "-"], before: words)) == ["present"]
    }
}
#endif
