// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The destination of a body: a file or standard output.
///
/// Writing never blocks a cooperative thread. A file and a pipe get the bytes unchanged. A terminal gets them through a
/// ``TerminalFilter``.
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

    /// Creates or truncates a file, or uses standard output without a path and for `-`.
    package static func open(_ path: String?) async throws -> OutputFile {
        guard let path, path != "-" else {
            // A reader that leaves is told by the write, and the session is left in order first: see PipeClosed.
            signal(SIGPIPE, SIG_IGN)
            return OutputFile(descriptor: 1, path: nil)
        }
        // The opening of a pipe waits for its reader.
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

    /// Reports the errors of a full disk or a lost network drive at the latest.
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

/// The reader of standard output closed the pipe.
///
/// The error passes through all cleanup, above all the saving of a refreshed session. The process then ends
/// as every program in a pipe does.
struct PipeClosed: Error {
    /// Ends the process by SIGPIPE.
    static func end() -> Never {
        signal(SIGPIPE, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGPIPE)
        // A shell's number for that end, where the signal did not come through.
        exit(128 + SIGPIPE)
    }
}
