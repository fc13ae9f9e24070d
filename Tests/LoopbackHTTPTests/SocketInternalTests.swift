// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import LoopbackHTTP
internal import TesseraTesting
internal import TestTraits
internal import Testing
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

@Suite("Sockets")
struct SocketInternalTests {
    @Test("Child processes do not inherit the listener or its connections", .covers(46))
    func closeOnExec() async throws {
        let listener = try Socket.listening(on: .ipv4, port: 0)
        defer { listener.release() }
        let client = try await LoopbackConnection.open(port: try listener.port())
        let accepted = try listener.accept().get()
        defer { accepted.release() }
        for socket in [listener, accepted] {
            #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
        }
        try await client.send("x")
    }

    @Test(
        "Never shares its port: SO_REUSEPORT and SO_REUSEADDR are off for a port chosen by the system",
        arguments: [SO_REUSEPORT, SO_REUSEADDR]
    )
    func options(option: Int32) throws {
        let listener = try Socket.listening(on: .ipv4, port: 0)
        defer { listener.release() }
        var value: Int32 = -1
        var size = socklen_t(MemoryLayout<Int32>.size)
        #expect(getsockopt(listener.descriptor, SOL_SOCKET, option, &value, &size) == 0)
        #expect(value == 0)
    }

    /// File types that can occupy a socket's path.
    enum Obstacle: CaseIterable {
        case directory, file, link, brokenLink, pipe

        /// Creates the file and returns 0 on success.
        func make(at path: String) -> Int32 {
            switch self {
            case .directory: mkdir(path, 0o700)
            case .file: close(open(path, O_CREAT | O_EXCL | O_WRONLY, 0o600))
            case .link: symlink("/tmp", path)
            case .brokenLink: symlink("/nonexistent", path)
            case .pipe: mkfifo(path, 0o600)
            }
        }
    }

    @Test(
        "Replaces only a socket and leaves any other file at its path",
        .covers(142),
        arguments: Obstacle.allCases,
        ["", "~"]
    )
    func obstacle(_ obstacle: Obstacle, _ suffix: String) throws {
        try Self.inDirectory { directory in
            let path = directory + "/socket"
            #expect(obstacle.make(at: path + suffix) == 0)
            let before = try Self.inode(of: path + suffix)
            #expect { try Socket.listening(at: path) } throws: { ($0 as? LoopbackError)?.isNotASocket == true }
            #expect(try Self.inode(of: path + suffix) == before)
        }
    }

    @Test("Replaces a stale socket but not one with a live listener", .covers(142))
    func living() throws {
        try Self.inDirectory { directory in
            let path = directory + "/socket"
            let first = try Socket.listening(at: path)
            let before = try Self.inode(of: path)
            #expect { try Socket.listening(at: path) } throws: { ($0 as? LoopbackError)?.isPortTaken == true }
            #expect(try Self.inode(of: path) == before)
            first.release()
            try Socket.listening(at: path).release()
        }
    }

    @Test("Does not replace another user's socket", .covers(142), .enabled(if: geteuid() == 0))
    func anotherUsers() throws {
        try Self.inDirectory { directory in
            let path = directory + "/socket"
            try Socket.listening(at: path).release()
            #expect(chown(path, 65_534, 65_534) == 0)
            #expect { try Socket.listening(at: path) } throws: { ($0 as? LoopbackError)?.belongsToAnotherUser == true }
        }
    }

    private static func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = "/tmp/tessera-socket-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        #expect(mkdir(directory, 0o700) == 0)
        defer {
            for path in [directory + "/socket", directory + "/socket~"] where unlink(path) != 0 { rmdir(path) }
            rmdir(directory)
        }
        try body(directory)
    }

    private static func inode(of path: String) throws -> UInt64 {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return UInt64(status.st_ino)
    }
}
