// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport

/// A program that a test started.
///
/// Separate threads read its outputs and wait for its exit, so that no thread of a test is blocked.
///
/// No other program inherits its pipes, because an inherited pipe would stay open. With Foundation's `Process`, pipes
/// can be inherited, and a program is reported as ended only after its child processes have ended.
public final class ChildProgram: Sendable {
    private let processID: pid_t
    /// The standard output.
    public let output: ChildOutput
    /// The standard error, which is empty unless `readsErrors` was true.
    public let errors: ChildOutput
    private let input: Mutex<Int32?>
    private let exit: Task<Int32, Never>

    /// Starts the program that the first element of `words` names, which is looked up in `PATH`.
    ///
    /// Its standard input stays open until ``closeInput()``, and it blocks no signals.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments.
    ///   - environment: The complete environment, or nil for the environment of this process.
    ///   - readsErrors: Whether ``errors`` captures standard error. If false, it is that of this process.
    ///   - leadsGroup: Whether it has its own process group, so that ``terminate()`` also ends its child processes.
    ///   - inherited: A descriptor of this process that the program inherits as descriptor 3, as from systemd.
    /// - Throws: ``ChildProgramError`` if it cannot be started.
    public init(
        _ words: [String],
        environment: [String: String]? = nil,
        readsErrors: Bool = false,
        leadsGroup: Bool = false,
        inheriting inherited: Int32? = nil
    ) throws {
        // One at a time, because no other program may start before the pipes are marked as close-on-exec.
        let (processID, input, output, errors) = try Self.spawning.withLock { _ in
            let (input, output, errors) = (try Self.pipe(), try Self.pipe(), try Self.pipe())
            let descriptors = [input.reading, output.writing] + (readsErrors ? [errors.writing] : [])
            defer { for end in [input.reading, output.writing, errors.writing] { close(end) } }
            do {
                let processID = try Self.spawn(words, environment, descriptors, inherited, leadsGroup: leadsGroup)
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

    /// Runs a program with this standard input until it exits.
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

    /// Sends text to the standard input.
    public func send(_ text: String) { self.send(Array(text.utf8)) }

    /// Sends bytes to the standard input.
    public func send(_ bytes: [UInt8]) {
        self.input.withLock { input in
            guard let input, !bytes.isEmpty else { return }
            _ = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
        }
    }

    /// Closes the standard input.
    public func closeInput() {
        self.input.withLock { input in
            if let end = input { close(end) }
            input = nil
        }
    }

    /// Waits until the program has stopped itself (SIGSTOP).
    public func stopped() async { while self.threadStates.contains(where: { $0 != "T" }) { await Task.yield() } }

    /// Waits until all threads of the program are asleep, which means that it has handled all events so far.
    public func asleep() async { while self.threadStates.contains(where: { $0 != "S" }) { await Task.yield() } }

    /// The states of the program's threads, such as S (asleep) or T (stopped), or an empty list after its exit.
    private var threadStates: [Character] {
        let threads = "/proc/\(self.processID)/task"
        return ((try? FileManager.default.contentsOfDirectory(atPath: threads)) ?? [])
            .compactMap { thread in
                let text = try? String(contentsOfFile: "\(threads)/\(thread)/stat", encoding: .utf8)
                return text?.components(separatedBy: ") ").last?.first
            }
    }

    /// Continues the stopped program (SIGCONT).
    public func resume() { self.signal(SIGCONT) }

    /// Interrupts the program, as Ctrl-C does (SIGINT).
    public func interrupt() { self.signal(SIGINT) }

    /// Sends SIGHUP as a closed terminal does, and waits until the program has received it, if the system shows that.
    public func hangUp() async {
        self.signal(SIGHUP)
        while self.signals("ShdPnd") & 1 << (SIGHUP - 1) != 0 { await Task.yield() }
    }

    /// Returns a signal set of the program, in which bit 0 is signal 1.
    private func signals(_ name: String) -> UInt64 {
        let text = (try? String(contentsOfFile: "/proc/\(self.processID)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line.flatMap { UInt64($0.dropFirst(name.count + 1).drop(while: \.isWhitespace), radix: 16) } ?? 0
    }

    /// Kills the program (SIGKILL) and waits for its exit.
    public func kill() async {
        self.signal(SIGKILL)
        _ = await self.exitStatus
    }

    /// Sends SIGTERM, waits for the exit, and kills the remaining child processes if the program leads a group.
    public func terminate() async {
        self.signal(SIGTERM)
        _ = await self.exitStatus
        _ = Foundation.kill(-self.processID, SIGKILL)
    }

    /// The exit status, or the negative number of the signal that ended the program.
    public var exitStatus: Int32 {
        get async { await self.exit.value }
    }

    /// Waits for the exit and returns the unread standard output and the exit status.
    public func finish() async -> (output: [UInt8], status: Int32) {
        (await self.output.rest(), await self.exitStatus)
    }

    /// Returns the path of a program of this package, which is next to that of the tests.
    public static func built(_ name: String) -> String {
        #if canImport(Darwin)
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
        #else
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        #endif
        return tests.deletingLastPathComponent().appending(path: name).path
    }

    /// Returns the path of a program in `PATH`, or nil if it is not installed.
    public static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// Returns a message that lists the programs that are not installed, or nil if all are installed.
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

    /// Starts the program with these as its file descriptors 0, 1 and so on, and the inherited one as 3.
    private static func spawn(
        _ words: [String],
        _ environment: [String: String]?,
        _ descriptors: [Int32],
        _ inherited: Int32?,
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
        if let inherited { posix_spawn_file_actions_adddup2(&actions, inherited, 3) }
        // The open files of other tests would exhaust a low limit on open files.
        #if canImport(Darwin)
        if descriptors.count < 3 { posix_spawn_file_actions_addinherit_np(&actions, 2) }
        let others = POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
        for number in Int32(inherited == nil ? 3 : 4)..<256 { posix_spawn_file_actions_addclose(&actions, number) }
        let others: Int32 = 0
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads of tests block signals, and a child would inherit the signal mask.
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

/// The program could not be started.
public struct ChildProgramError: Error {
    /// The name of the program.
    public var program: String
    /// The error number (`errno`).
    public var number: Int32
}
