// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The version that another program of this package prints.
package enum SiblingVersion {
    /// The programs that run each other and print their version.
    private static let names = ["tessera", "tessera-databases", "tessera-api", "tessera-provider"]
    /// How long a program may take, in milliseconds.
    private static let timeout: Int32 = 5_000
    private static let limit = 4_096

    /// Returns the paths of the programs whose version differs from this program's, and what they print.
    ///
    /// Programs that are not installed are left out. The method blocks.
    package static func differences() -> [(path: String, version: String?)] {
        Self.names.compactMap { name in
            guard let path = SiblingProgram.path(of: name), path != SiblingProgram.own else { return nil }
            let version = Self.output(of: path)
            return version == ReleaseVersion.summary ? nil : (path: path, version: version)
        }
    }

    /// Runs a program with `--version` and returns its output, or nil if it fails or takes too long.
    private static func output(of path: String) -> String? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let process = Self.start(path, output: ends[1])
        close(ends[1])
        guard let process else { return nil }
        let bytes = Self.read(ends[0])
        if bytes == nil { kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard let bytes, status == 0 else { return nil }
        return String(decoding: bytes, as: UTF8.self).trimmingWhitespace
    }

    /// Starts a program with unblocked signals and without this process's standard streams.
    private static func start(_ path: String, output: Int32) -> pid_t? {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let variables = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        let arguments = Self.copies(of: [path, "--version"])
        let environment = Self.copies(of: variables)
        defer { for text in arguments + environment { free(text) } }
        var process = pid_t()
        return posix_spawn(&process, path, &actions, &attributes, arguments, environment) == 0 ? process : nil
    }

    /// Returns C strings, which the caller frees, and a null pointer at the end.
    private static func copies(of texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    /// Returns everything until the end of a pipe, or nil if it takes too long or is too much.
    private static func read(_ descriptor: Int32) -> [UInt8]? {
        let clock = ContinuousClock()
        let end = clock.now + .milliseconds(Int(Self.timeout))
        var result: [UInt8] = []
        while result.count <= Self.limit {
            let rest = clock.now.duration(to: end).components
            let milliseconds = rest.seconds * 1000 + rest.attoseconds / 1_000_000_000_000_000
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&state, 1, Int32(clamping: max(0, milliseconds)))
            if count < 0, errno == EINTR { continue }
            guard count > 0, let bytes = try? FileBytes.chunk(descriptor, "pipe", "--version") else { return nil }
            if bytes.isEmpty { return result }
            result += bytes
        }
        return nil
    }
}
