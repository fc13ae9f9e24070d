// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Synchronization

/// `StoreProbe` in a process of its own, read and waited for by a thread of its own.
final class ProbeProcess: Sendable {
    /// What it says, in pieces as they come; ends when it has ended.
    let output: AsyncStream<String>
    private let processID: pid_t

    /// Starts the probe; `before` are the words of a command that starts it in turn.
    init(_ arguments: [String], before: [String] = [], environment: [String: String] = [:]) throws {
        let words = ["env"] + environment.map { "\($0)=\($1)" } + before + [Self.path] + arguments
        let (processID, pipe) = try Self.spawn(words)
        let (output, said) = AsyncStream<String>.makeStream()
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(pipe, &buffer, buffer.count)
                if count > 0 { said.yield(String(decoding: buffer[..<count], as: UTF8.self)) }
                if count == 0 || (count < 0 && errno != EINTR) { break }
            }
            close(pipe)
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
            said.finish()
        }
        self.output = output
        self.processID = processID
    }

    /// One at a time: a pipe's end that another child inherits would keep the pipe open.
    private static let spawning = Mutex(())

    private static func spawn(_ words: [String]) throws -> (pid_t, pipe: Int32) {
        try Self.spawning.withLock { _ in
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            defer { close(ends[1]) }
            #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            #else
            var actions = posix_spawn_file_actions_t()
            #endif
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
            var arguments = words.map { strdup($0) } + [nil]
            defer { for argument in arguments { free(argument) } }
            var processID: pid_t = 0
            guard posix_spawnp(&processID, "env", &actions, nil, &arguments, environ) == 0 else {
                close(ends[0])
                throw POSIXError(.ECHILD)
            }
            return (processID, ends[0])
        }
    }

    func kill() { _ = Foundation.kill(self.processID, SIGKILL) }

    /// Waits for its end; the rest of what it said.
    func rest() async -> String {
        var text = ""
        for await piece in self.output { text += piece }
        return text
    }

    /// Runs the probe to its end; its lines.
    static func run(
        _ arguments: [String],
        before: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> [String] {
        let text = try await ProbeProcess(arguments, before: before, environment: environment).rest()
        return text.split(separator: "\n").map(String.init)
    }

    /// The probe lies beside the tests' own program.
    static let path: String = {
        #if canImport(Darwin)
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
        #else
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #endif
        return tests.deletingLastPathComponent().appendingPathComponent("StoreProbe").path
    }()

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
