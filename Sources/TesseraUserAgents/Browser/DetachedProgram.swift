// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import TesseraSupport

/// Starts programs that outlive this process, such as the token agent.
///
/// Each program is started in its own session. It does not inherit file descriptors, and its standard streams are
/// connected to `/dev/null`.
public enum DetachedProgram {
    /// Returns the path of a program, searching for it the way a shell does.
    ///
    /// A name that contains a slash is a path. Other names are searched for in `PATH`.
    ///
    /// - Parameters:
    ///   - name: The name or path of the program.
    ///   - path: The value of `PATH`.
    /// - Returns: The path of an executable file, or nil if none was found.
    public static func find(_ name: String, path: String?) -> String? {
        SpawnedProgram.find(name, path: path)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The path of the program.
    ///   - arguments: The arguments, beginning with the program's name.
    ///   - environment: The program's environment.
    ///   - ended: Called on a dedicated thread with the exit status, or with 128 plus the signal number if a signal
    ///     ended the program. It is not called if the status is unknown, for example because this process ignores
    ///     `SIGCHLD`.
    /// - Returns: Whether the program was started.
    public static func start(
        _ path: String,
        arguments: [String],
        environment: [String: String],
        ended: @escaping @Sendable (_ status: Int32) -> Void
    ) -> Bool {
        Self.start(path, arguments, environment) { if let status = $0 { ended(status) } }
    }

    /// Starts a program, and calls `ended` with its exit status, or with nil if that is unknown.
    private static func start(
        _ path: String,
        _ arguments: [String],
        _ environment: [String: String],
        _ ended: @escaping @Sendable (_ status: Int32?) -> Void
    ) -> Bool {
        let environment = environment.map { "\($0.key)=\($0.value)" }
        guard case .success(let process) = SpawnedProgram.spawn(path, arguments: arguments, environment: environment)
        else {
            return false
        }
        if DetachedThread.start({ ended(SpawnedProgram.wait(for: process)) }) != 0 { ended(nil) }
        return true
    }

    /// Runs a program and waits until it ends.
    ///
    /// The program inherits this process's environment, except for variables that contain secrets.
    ///
    /// - Parameters:
    ///   - path: The path of the program.
    ///   - arguments: The arguments, beginning with the program's name.
    /// - Returns: The exit status, or 127 if the program could not be started or its status is unknown.
    public static func run(_ path: String, arguments: [String]) async -> Int32 {
        await withCheckedContinuation { continuation in
            let environment = ProgramEnvironment.withoutSecrets(ProcessInfo.processInfo.environment)
            let isStarted = Self.start(path, arguments, environment) { continuation.resume(returning: $0 ?? 127) }
            if !isStarted { continuation.resume(returning: 127) }
        }
    }
}
