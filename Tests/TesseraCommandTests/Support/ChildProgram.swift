// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && CommandLine
internal import Foundation

/// A program that a test started, with both its outputs read as they come.
final class ChildProgram: Sendable {
    let processID: pid_t
    /// Standard error, as it comes.
    let errors: AsyncStream<[UInt8]>
    private let output: Task<[UInt8], Never>
    private let exit: Task<Int32, Never>
    private let input: Int32

    /// Starts `executable` with exactly this environment; its standard input stays open until ``closeInput()``.
    init(_ executable: String, _ arguments: [String], environment: [String: String]) throws {
        let (inputReading, inputWriting) = try Self.pipe()
        let (outputReading, outputWriting) = try Self.pipe()
        let (errorsReading, errorsWriting) = try Self.pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, inputReading, 0)
        posix_spawn_file_actions_adddup2(&actions, outputWriting, 1)
        posix_spawn_file_actions_adddup2(&actions, errorsWriting, 2)
        var words: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for word in words + variables { free(word) }
            posix_spawn_file_actions_destroy(&actions)
            for end in [inputReading, outputWriting, errorsWriting] { close(end) }
        }
        var processID: pid_t = 0
        let failure = posix_spawn(&processID, executable, &actions, nil, &words, &variables)
        guard failure == 0 else {
            for end in [inputWriting, outputReading, errorsReading] { close(end) }
            throw SceneFailure("\(executable) cannot be started: \(failure)")
        }
        self.processID = processID
        self.input = inputWriting
        self.errors = Self.chunks(of: errorsReading)
        let output = Self.chunks(of: outputReading)
        self.output = Task {
            var bytes: [UInt8] = []
            for await chunk in output { bytes += chunk }
            return bytes
        }
        self.exit = Task { [processID] in await Self.end(of: processID) }
    }

    /// Types a line, or sends bytes.
    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { write(self.input, $0.baseAddress, $0.count) }
    }

    /// The end of standard input.
    func closeInput() { close(self.input) }

    /// Sends a signal.
    func interrupt(_ number: Int32 = SIGINT) { kill(self.processID, number) }

    /// Standard error up to the first line that `isWanted`; nil where it ended before.
    func firstLine(where isWanted: @Sendable (String) -> Bool) async -> String? {
        var text: [UInt8] = []
        for await chunk in self.errors {
            text += chunk
            let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            if let line = lines.dropLast().first(where: { isWanted(String($0)) }) { return String(line) }
        }
        return nil
    }

    /// Standard output and the exit status: minus the signal's number where a signal ended it.
    func finish() async -> (output: [UInt8], status: Int32) { (await self.output.value, await self.exit.value) }

    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Foundation.pipe(&ends) == 0 else { throw SceneFailure("no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func chunks(of descriptor: Int32) -> AsyncStream<[UInt8]> {
        let (stream, end) = AsyncStream<[UInt8]>.makeStream()
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { break }
                end.yield(Array(buffer[..<count]))
            }
            close(descriptor)
            end.finish()
        }
        return stream
    }

    private static func end(of processID: pid_t) async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
                let signal = status & 0x7F
                continuation.resume(returning: signal == 0 ? (status >> 8) & 0xFF : -signal)
            }
        }
    }
}

/// A test's set-up went wrong.
struct SceneFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
#endif
