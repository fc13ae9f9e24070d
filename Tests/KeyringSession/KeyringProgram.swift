// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Synchronization

/// A program with its standard input and output in pipes, read and waited for by a thread of its own.
package final class KeyringProgram: Sendable {
    /// What it says, in pieces as they come; ends when it has ended.
    private let output: AsyncStream<String>
    private let text = Mutex("")
    private let processID: pid_t
    private let input: Int32

    /// Starts it with exactly this environment; the program is looked for in `PATH`.
    package init(_ words: [String], environment: [String: String]) throws {
        let (processID, input, pipe) = try Self.spawn(words, environment)
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
        self.input = input
    }

    package func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(self.input, $0.baseAddress, $0.count) }
    }

    package func closeInput() { close(self.input) }

    package func kill() { _ = Foundation.kill(self.processID, SIGKILL) }

    /// The next line that `isWanted`; nil where it ended before.
    package func line(where isWanted: (String) -> Bool) async -> String? {
        while true {
            let found = self.text.withLock { text -> String? in
                while let end = text.firstIndex(of: "\n") {
                    let line = String(text[..<end])
                    text.removeSubrange(...end)
                    if isWanted(line) { return line }
                }
                return nil
            }
            if let found { return found }
            var pieces = self.output.makeAsyncIterator()
            guard let piece = await pieces.next() else { return nil }
            self.text.withLock { $0 += piece }
        }
    }

    /// Waits for its end; the rest of what it said.
    package func rest() async -> String {
        for await piece in self.output { self.text.withLock { $0 += piece } }
        return self.text.withLock { $0 }
    }

    /// One at a time: a pipe's end that another child inherits would keep the pipe open.
    private static let spawning = Mutex(())

    private static func spawn(_ words: [String], _ environment: [String: String]) throws -> (pid_t, Int32, Int32) {
        try Self.spawning.withLock { _ in
            var input: [Int32] = [0, 0]
            var output: [Int32] = [0, 0]
            guard pipe(&input) == 0, pipe(&output) == 0 else { throw POSIXError(.EMFILE) }
            for end in input + output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            defer { for end in [input[0], output[1]] { close(end) } }
            #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            #endif
            // A bus whose SIGCHLD is blocked, as it is in a test's thread, never sees the end of what it starts.
            var signals = sigset_t()
            sigemptyset(&signals)
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            posix_spawnattr_setsigmask(&attributes, &signals)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, input[0], 0)
            posix_spawn_file_actions_adddup2(&actions, output[1], 1)
            var arguments = words.map { strdup($0) } + [nil]
            var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
            defer { for copy in arguments + variables { free(copy) } }
            var processID: pid_t = 0
            guard posix_spawnp(&processID, words[0], &actions, &attributes, &arguments, &variables) == 0 else {
                for end in [input[1], output[0]] { close(end) }
                throw POSIXError(.ECHILD)
            }
            return (processID, input[1], output[0])
        }
    }
}
