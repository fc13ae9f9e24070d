// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A program that a test started, in a process group of its own, so that ending it ends what it started too.
///
/// Foundation's `Process` says that a program has ended only when everything that the program started has ended.
final class ChildProcess: Sendable {
    let processID: pid_t
    /// What it writes to its standard output, as it comes; ends when the output is closed.
    let output: AsyncStream<[UInt8]>
    private let exit: Task<Int32, Never>

    /// Starts `executable`, an absolute path.
    ///
    /// Its standard error is ours.
    init(_ executable: String, _ arguments: [String]) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ChildProcessError(executable: executable, number: errno) }
        let (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, writing, 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        // The threads that tests run on block signals, and a child would inherit that.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
        defer {
            for word in words { free(word) }
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            close(writing)
        }
        var processID: pid_t = 0
        let failure = posix_spawn(&processID, executable, &actions, &attributes, &words, environ)
        guard failure == 0 else {
            close(reading)
            throw ChildProcessError(executable: executable, number: failure)
        }
        self.processID = processID
        self.output = Self.chunks(of: reading)
        self.exit = Task { [processID] in await Self.end(of: processID) }
    }

    /// The exit status, when it has ended; 128 and the signal's number where a signal ended it.
    var exitStatus: Int32 {
        get async { await self.exit.value }
    }

    /// Everything that it writes until its output is closed, and its exit status.
    func finish() async -> (output: [UInt8], status: Int32) {
        var collected: [UInt8] = []
        for await chunk in self.output { collected += chunk }
        return (collected, await self.exitStatus)
    }

    /// Asks it to end, waits for that, and ends what it left behind.
    func terminate() async {
        kill(self.processID, SIGTERM)
        _ = await self.exitStatus
        kill(-self.processID, SIGKILL)
    }

    /// Where the program is, by `PATH`; nil where it is not installed.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// Which of these programs are not installed, in a sentence; nil where all are.
    static func missing(_ programs: [String]) -> String? {
        let absent = programs.filter { Self.find($0) == nil }
        return absent.isEmpty ? nil : "not installed: \(absent.joined(separator: ", "))"
    }

    /// Reads on a thread of its own until the end.
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

    /// Waits on a thread of its own.
    private static func end(of processID: pid_t) async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
                let signal = status & 0x7F
                continuation.resume(returning: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
            }
        }
    }
}

/// A program could not be started.
struct ChildProcessError: Error {
    var executable: String
    var number: Int32
}
