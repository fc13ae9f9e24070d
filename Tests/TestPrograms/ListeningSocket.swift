// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A Unix socket that a test passes to a program, as systemd does.
public final class ListeningSocket: Sendable {
    /// The socket's path.
    public let path: String
    /// The socket's descriptor, which other programs do not inherit.
    public let descriptor: Int32

    /// Creates a socket at a path, in a new directory that is private to this user.
    ///
    /// - Parameters:
    ///   - path: The path, which must not exist.
    ///   - listens: Whether the socket listens. If false, it is only bound to the path.
    /// - Throws: ``ChildProgramError`` with the system call that failed.
    public init(at path: String, listens: Bool = true) throws {
        self.path = path
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        #if canImport(Glibc)
        self.descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        self.descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        _ = fcntl(self.descriptor, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(self.descriptor, $0, size) }
        }
        guard result == 0 else { throw ChildProgramError(program: "bind", number: errno) }
        guard !listens || listen(self.descriptor, 64) == 0 else {
            throw ChildProgramError(program: "listen", number: errno)
        }
    }

    deinit { close(self.descriptor) }
}
