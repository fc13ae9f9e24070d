// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The destination of a body: a file or standard output.
///
/// Writing never blocks a cooperative thread. Bytes are written unchanged to files and pipes, and through a
/// ``TerminalFilter`` to a terminal.
package final class OutputFile: Sendable {
    private let descriptor: Int32
    private let path: String?
    private let filter: Mutex<TerminalFilter>?

    private init(descriptor: Int32, path: String?) {
        self.descriptor = descriptor
        self.path = path
        self.filter = path == nil && Console.isOutputTerminal ? Mutex(TerminalFilter()) : nil
    }

    deinit { if self.path != nil { close(self.descriptor) } }

    /// Creates or truncates a file, or uses standard output if the path is nil or `-`.
    package static func open(_ path: String?) async throws -> OutputFile {
        guard let path, path != "-" else {
            // If the reader exits, the write fails, and the session is saved before this process ends. See PipeClosed.
            signal(SIGPIPE, SIG_IGN)
            return OutputFile(descriptor: 1, path: nil)
        }
        // Opening a pipe blocks until its reader opens it.
        return try await FileBytes.interruptible {
            let descriptor = create(path)
            guard descriptor >= 0 else { throw Self.failure(path, errno) }
            return OutputFile(descriptor: descriptor, path: path)
        }
    }

    package func write(_ bytes: [UInt8]) async throws {
        try await FileBytes.blocking {
            let bytes = self.filter?.withLock { $0.filtered(bytes) } ?? bytes
            let number = Console.write(bytes, to: self.descriptor)
            if number == EPIPE, self.path == nil { throw PipeClosed() }
            guard number == 0 else { throw Self.failure(self.path, number) }
        }
    }

    /// Flushes the file, which reports any remaining errors, such as a full disk or a lost network drive.
    package func finish() async throws {
        guard let path else { return }
        try await FileBytes.blocking {
            if fsync(self.descriptor) != 0, errno != EINVAL, errno != EROFS, errno != ENOTSUP {
                throw Self.failure(path, errno)
            }
        }
    }

    private static func failure(_ path: String?, _ number: Int32) -> CommandError {
        CommandError.usage(
            "\(path.map { "-o \($0)" } ?? "Standard output"): \(FileBytes.words(number))",
            "Choose another file, or free some disk space."
        )
    }
}

/// Calls `open(2)`, which types with a method of the same name cannot do.
private func create(_ path: String) -> Int32 { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }

/// An error that indicates that the reader of standard output closed the pipe.
///
/// The error is thrown so that all cleanup runs, most importantly the saving of a refreshed session. The process then
/// ends with SIGPIPE, like any other program in a pipe.
struct PipeClosed: Error {
    /// Ends the process by SIGPIPE.
    static func end() -> Never {
        signal(SIGPIPE, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGPIPE)
        // If the signal is not delivered, exit with the code that a shell would report for it.
        exit(128 + SIGPIPE)
    }
}
