// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport

/// A program that a test started: its outputs and its end are waited for by threads of their own, never by a test's.
///
/// No other program inherits its pipes: one that did would keep an output from ending, or an input. Foundation's
/// `Process` lets them be inherited, and says that a program has ended only when all that it started has ended.
public final class ChildProgram: Sendable {
    private let processID: pid_t
    /// Standard output.
    public let output: ChildOutput
    /// Standard error, where it was asked for; it has ended else.
    public let errors: ChildOutput
    private let input: Mutex<Int32?>
    private let exit: Task<Int32, Never>

    /// Starts the program that is first among the words; it is looked for in `PATH`.
    ///
    /// Its standard input stays open until ``closeInput()``, and no signal is blocked.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments.
    ///   - environment: All of it; this process's where it is nil.
    ///   - readsErrors: Whether standard error is kept; it is this process's else.
    ///   - leadsGroup: Whether it has a process group of its own, so that ``terminate()`` ends what it started, too.
    /// - Throws: ``ChildProgramError`` where it cannot be started.
    public init(
        _ words: [String],
        environment: [String: String]? = nil,
        readsErrors: Bool = false,
        leadsGroup: Bool = false
    ) throws {
        // One at a time: between a pipe's making and its mark as close-on-exec no other program may start.
        let (processID, input, output, errors) = try Self.spawning.withLock { _ in
            let (input, output, errors) = (try Self.pipe(), try Self.pipe(), try Self.pipe())
            let theirs = [input.reading, output.writing] + (readsErrors ? [errors.writing] : [])
            defer { for end in [input.reading, output.writing, errors.writing] { close(end) } }
            do {
                let processID = try Self.spawn(words, environment, theirs, leadsGroup: leadsGroup)
                return (processID, input.writing, output.reading, errors.reading)
            } catch {
                for end in [input.writing, output.reading, errors.reading] { close(end) }
                throw error
            }
        }
        self.processID = processID
        self.input = Mutex(input)
        self.output = ChildOutput(output)
        self.errors = ChildOutput(errors)
        self.exit = Task { await Self.end(of: processID) }
    }

    deinit { self.closeInput() }

    /// Runs a program to its end, with nothing more to read than `input`.
    public static func run(
        _ words: [String],
        environment: [String: String]? = nil,
        input: String = ""
    ) async throws -> (output: [UInt8], status: Int32) {
        let program = try ChildProgram(words, environment: environment)
        program.send(input)
        program.closeInput()
        return await program.finish()
    }

    /// Types some text.
    public func send(_ text: String) { self.send(Array(text.utf8)) }

    /// Sends bytes to its standard input.
    public func send(_ bytes: [UInt8]) {
        self.input.withLock { input in
            guard let input, !bytes.isEmpty else { return }
            _ = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
        }
    }

    /// The end of its standard input.
    public func closeInput() {
        self.input.withLock { input in
            if let end = input { close(end) }
            input = nil
        }
    }

    /// Returns when the program has stopped itself (SIGSTOP).
    public func stopped() async {
        let status = "/proc/\(self.processID)/stat"
        while let text = try? String(contentsOfFile: status, encoding: .utf8), text.contains(") ") {
            if text.components(separatedBy: ") ").last?.first == "T" { return }
            await Task.yield()
        }
    }

    /// Continues the program after it has stopped.
    public func resume() { self.signal(SIGCONT) }

    /// Ctrl-C.
    public func interrupt() { self.signal(SIGINT) }

    /// What a terminal sends when it closes; returns when the program has taken it, where that can be seen.
    public func hangUp() async {
        self.signal(SIGHUP)
        while self.signals("ShdPnd") & 1 << (SIGHUP - 1) != 0 { await Task.yield() }
    }

    /// A set of signals of the program: bit 0 is signal 1.
    private func signals(_ name: String) -> UInt64 {
        let text = (try? String(contentsOfFile: "/proc/\(self.processID)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line.flatMap { UInt64($0.dropFirst(name.count + 1).drop(while: \.isWhitespace), radix: 16) } ?? 0
    }

    /// Ends it as a loss of power would, and returns when it has ended.
    public func kill() async {
        self.signal(SIGKILL)
        _ = await self.exitStatus
    }

    /// Asks it to end, waits for that, and ends what it left behind, if it leads a group.
    public func terminate() async {
        self.signal(SIGTERM)
        _ = await self.exitStatus
        _ = Foundation.kill(-self.processID, SIGKILL)
    }

    /// The exit status, when it has ended; minus the signal's number where a signal ended it.
    public var exitStatus: Int32 {
        get async { await self.exit.value }
    }

    /// What of its standard output nobody read yet, and its exit status.
    public func finish() async -> (output: [UInt8], status: Int32) {
        (await self.output.rest(), await self.exitStatus)
    }

    /// Where a program of this package is that was built with the tests: beside the tests' own.
    public static func built(_ name: String) -> String {
        #if canImport(Darwin)
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
        #else
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        #endif
        return tests.deletingLastPathComponent().appending(path: name).path
    }

    /// Where a program is, by `PATH`; nil where it is not installed.
    public static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// Which of these programs are not installed, in a sentence; nil where all are.
    public static func missing(_ programs: [String]) -> String? {
        let absent = programs.filter { Self.find($0) == nil }
        return absent.isEmpty ? nil : "not installed: \(absent.joined(separator: ", "))"
    }

    private func signal(_ number: Int32) { _ = Foundation.kill(self.processID, number) }

    private static let spawning = Mutex(())

    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Foundation.pipe(&ends) == 0 else { throw ChildProgramError(program: "pipe", number: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Starts it with these for its descriptors from 0 on.
    private static func spawn(
        _ words: [String],
        _ environment: [String: String]?,
        _ descriptors: [Int32],
        leadsGroup: Bool
    ) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, end) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, end, Int32(number))
        }
        // What other tests have open at this moment would count against a small limit on open files.
        #if canImport(Darwin)
        if descriptors.count < 3 { posix_spawn_file_actions_addinherit_np(&actions, 2) }
        let others = POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
        for number in Int32(3)..<256 { posix_spawn_file_actions_addclose(&actions, number) }
        let others: Int32 = 0
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads that tests run on block signals, and a child would inherit that.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | group | others))
        let variables = environment ?? ProcessInfo.processInfo.environment
        var arguments = words.map { strdup($0) } + [nil]
        var assignments = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for copy in arguments + assignments { free(copy) } }
        var processID: pid_t = 0
        let failure = posix_spawnp(&processID, words[0], &actions, &attributes, &arguments, &assignments)
        guard failure == 0 else { throw ChildProgramError(program: words[0], number: failure) }
        return processID
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

/// A program could not be started; with the system's number.
public struct ChildProgramError: Error {
    /// The program's name.
    public var program: String
    /// The `errno`.
    public var number: Int32
}
