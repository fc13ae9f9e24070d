// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX

/// Starts other programs, which is possible on Linux and macOS.
package enum SpawnedProgram {
    /// Returns the path of a program, searching for it the way a shell does.
    package static func find(_ name: String, path: String?) -> String? {
        let candidates =
            name.contains("/")
            ? [name] : (path ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
        return candidates.first { candidate in
            var information = stat()
            return stat(candidate, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
                && access(candidate, X_OK) == 0
        }
    }

    /// Starts a program without the descriptors of this process.
    ///
    /// The arguments begin with the program's name, and the environment contains `NAME=VALUE`. The standard output is
    /// `output`, or `/dev/null` if it is nil. An interactive program inherits the standard streams and the session
    /// instead. The result is the process ID.
    package static func spawn(
        _ path: String,
        arguments: [String],
        environment: [String],
        output: Int32? = nil,
        isInteractive: Bool = false
    ) -> Result<Int32, SystemError> {
        var process = Int32()
        let failure = Self.withCStrings(arguments) { arguments in
            Self.withCStrings(environment) { environment in
                tessera_spawn(path, arguments, environment, output ?? -1, isInteractive ? 1 : 0, &process)
            }
        }
        return failure == 0 ? .success(process) : .failure(SystemError(failure, "posix_spawn", path))
    }

    /// Waits until a program ends and returns its exit status, or 128 plus the number of the signal that ended it.
    ///
    /// The method blocks. Returns nil if the process is not a child of this one.
    package static func wait(for process: Int32) -> Int32? {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return Self.exitStatus(status)
    }

    /// The state of a program.
    enum State {
        case running
        /// The exit status is nil if it is unknown, because this process ignores `SIGCHLD`.
        case ended(status: Int32?)
    }

    /// Returns the state of a program, which is reaped if it has ended.
    static func state(of process: Int32) -> State {
        var status: Int32 = 0
        let result = waitpid(process, &status, WNOHANG)
        if result < 0 { return errno == EINTR ? .running : .ended(status: nil) }
        return result == 0 ? .running : .ended(status: Self.exitStatus(status))
    }

    private static func exitStatus(_ status: Int32) -> Int32 {
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        // Skip strings with NUL, which would truncate them. Environments and command lines cannot contain NUL.
        var pointers = strings.filter { !$0.utf8.contains(0) }.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }
}
