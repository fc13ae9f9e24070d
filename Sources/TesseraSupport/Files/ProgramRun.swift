// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX

/// A running program whose output is read.
///
/// If the task that waits for the result is canceled, the program and its descendants are killed. A descendant that has
/// left the program's process group survives, but is not waited for.
package final class ProgramRun: Sendable {
    private struct State {
        /// Whether the program was reaped, after which its ID can belong to another process.
        var isReaped = false
        var isTerminated = false
    }

    private let process: Int32
    private let isInteractive: Bool
    /// The end of the pipe that the output is read from.
    private let output: Int32
    private let state = Mutex(State())

    private init(_ process: Int32, _ output: Int32, _ isInteractive: Bool) {
        self.process = process
        self.output = output
        self.isInteractive = isInteractive
    }

    /// Starts a program.
    ///
    /// - Throws: `SystemError` if the program cannot be started.
    package static func start(
        _ path: String,
        arguments: [String],
        environment: [String],
        isInteractive: Bool
    ) throws(SystemError) -> ProgramRun {
        var ends: [Int32] = [-1, -1]
        guard tessera_pipe(&ends) == 0 else { throw SystemError(errno, "pipe", path) }
        // The program writes, and expects a descriptor that blocks.
        _ = fcntl(ends[1], F_SETFL, 0)
        _ = fcntl(ends[0], F_SETFL, 0)
        let result = SpawnedProgram.spawn(
            path,
            arguments: arguments,
            environment: environment,
            output: ends[1],
            isInteractive: isInteractive
        )
        close(ends[1])
        switch result {
        case .success(let process): return ProgramRun(process, ends[0], isInteractive)
        case .failure(let error):
            close(ends[0])
            throw error
        }
    }

    deinit { close(self.output) }

    /// Waits until the program ends, and returns its exit status and its output.
    ///
    /// The status is nil if it is unknown, because this process ignores `SIGCHLD`. The output is nil if it is too long.
    /// Call this method once.
    package func result(upTo limit: Int) async throws -> (status: Int32?, output: [UInt8]?) {
        try await withTaskCancellationHandler {
            try await BlockingExecutor().run { self.collect(limit) }
        } onCancel: {
            self.terminate()
        }
    }

    private func collect(_ limit: Int) -> (status: Int32?, output: [UInt8]?) {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        // A process that survives the termination may keep the output open.
        while !self.state.withLock({ $0.isTerminated }) {
            var waiting = pollfd(fd: self.output, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 100) > 0 else { continue }
            let count = buffer.withUnsafeMutableBytes { read(self.output, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            output += buffer.prefix(count)
            if output.count > limit {
                self.terminate()
                break
            }
        }
        return (self.reap(), output.count > limit ? nil : output)
    }

    /// Waits until the program ends, which it usually has when its output ends.
    ///
    /// A waiting call would hold the lock that ``terminate()`` needs, so this method asks again and again.
    private func reap() -> Int32? {
        while true {
            let program = self.state.withLock { state in
                let program = SpawnedProgram.state(of: self.process)
                if case .ended = program { state.isReaped = true }
                return program
            }
            if case .ended(let status) = program { return status }
            usleep(5_000)
        }
    }

    private func terminate() {
        self.state.withLock { state in
            state.isTerminated = true
            guard !state.isReaped else { return }
            _ = kill(self.isInteractive ? self.process : -self.process, SIGKILL)
        }
    }
}
