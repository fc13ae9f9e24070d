// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The destination of a body: a file or standard output.
///
/// Writing never blocks a cooperative thread. Bytes are written unchanged to files and pipes, and through a
/// ``TerminalFilter`` to a terminal. A file has its new contents only after ``finish()``. Before that, they are in a
/// draft next to it, which is removed if the writing fails.
package final class OutputFile: Sendable {
    private let descriptor: Int32
    private let path: String?
    /// The file that replaces the one at the path, or nil if the path is written directly.
    private let draft: String?
    private let filter: Mutex<TerminalFilter>?

    private init(descriptor: Int32, path: String?, draft: String? = nil) {
        self.descriptor = descriptor
        self.path = path
        self.draft = draft
        self.filter = path == nil && Console.isOutputTerminal ? Mutex(TerminalFilter()) : nil
    }

    deinit {
        guard self.path != nil else { return }
        close(self.descriptor)
        // After ``finish()``, there is no draft.
        if let draft { unlink(draft) }
    }

    /// Creates or replaces a file, or uses standard output if the path is nil or `-`.
    ///
    /// Pipes and devices are written directly, as is a file in a directory that this user cannot change.
    package static func open(_ path: String?) async throws -> OutputFile {
        guard let path, path != "-" else {
            // If the reader exits, the write fails, and the session is saved before this process ends. See PipeClosed.
            signal(SIGPIPE, SIG_IGN)
            return OutputFile(descriptor: 1, path: nil)
        }
        // Opening a pipe blocks until its reader opens it.
        return try await FileBytes.interruptible {
            if let file = Self.drafted(path) { return file }
            let descriptor = create(path, O_TRUNC, 0o666)
            guard descriptor >= 0 else { throw Self.failure(path, errno) }
            return OutputFile(descriptor: descriptor, path: path)
        }
    }

    /// Creates a draft of a file, or returns nil if the path must be written directly.
    private static func drafted(_ path: String) -> OutputFile? {
        var information = stat()
        var target = path
        var known: stat?
        if stat(path, &information) == 0 {
            // A rename would change the owner, the hard links, or what a redirection refers to.
            guard information.st_mode & S_IFMT == S_IFREG, information.st_uid == geteuid(), information.st_nlink == 1,
                !path.hasPrefix("/dev/"), !path.hasPrefix("/proc/"), access(path, W_OK) == 0
            else { return nil }
            target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
            known = information
        } else {
            // The target of a dangling symbolic link is created directly.
            guard errno == ENOENT, lstat(path, &information) != 0 else { return nil }
        }
        let draft = target + "." + String(UInt32.random(in: .min ... .max), radix: 16) + ".part"
        let descriptor = create(draft, O_EXCL, known == nil ? 0o666 : 0o600)
        guard descriptor >= 0 else { return nil }
        if let known {
            // Without the same group, other users would gain or lose access.
            guard fchown(descriptor, uid_t.max, known.st_gid) == 0 else {
                close(descriptor)
                unlink(draft)
                return nil
            }
            fchmod(descriptor, known.st_mode & 0o777)
        }
        return OutputFile(descriptor: descriptor, path: target, draft: draft)
    }

    package func write(_ bytes: [UInt8]) async throws {
        try await FileBytes.blocking {
            let bytes = self.filter?.withLock { $0.filtered(bytes) } ?? bytes
            let number = Console.write(bytes, to: self.descriptor)
            if number == EPIPE, self.path == nil { throw PipeClosed() }
            guard number == 0 else { throw Self.failure(self.path, number) }
        }
    }

    /// Flushes the file, which reports any remaining errors, such as a full disk or a lost network drive, and then
    /// gives it its name.
    package func finish() async throws {
        guard let path else { return }
        try await FileBytes.blocking {
            if fsync(self.descriptor) != 0, errno != EINVAL, errno != EROFS, errno != ENOTSUP {
                throw Self.failure(path, errno)
            }
            guard let draft = self.draft, rename(draft, path) != 0 else { return }
            // A file on which another one is mounted cannot be replaced, but it can be written.
            guard errno == EBUSY || errno == EXDEV else { throw Self.failure(path, errno) }
            try Self.copy(draft, to: path)
        }
    }

    private static func copy(_ draft: String, to path: String) throws {
        let (source, target) = (openDraft(draft), create(path, O_TRUNC, 0o666))
        defer { for descriptor in [source, target] where descriptor >= 0 { close(descriptor) } }
        guard source >= 0, target >= 0 else { throw Self.failure(path, errno) }
        while true {
            let chunk = try FileBytes.chunk(source, draft, "-o")
            if chunk.isEmpty { return }
            let number = Console.write(chunk, to: target)
            guard number == 0 else { throw Self.failure(path, number) }
        }
    }

    static func failure(_ path: String?, _ number: Int32) -> CommandError {
        CommandError.usage(
            "\(path.map { "-o \($0)" } ?? "Standard output"): \(FileBytes.words(number))",
            "Choose another file, or free some disk space."
        )
    }
}

/// Calls `open(2)`, which types with a method of the same name cannot do.
private func create(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode)
}

private func openDraft(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }

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
