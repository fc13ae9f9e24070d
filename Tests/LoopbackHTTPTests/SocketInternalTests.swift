// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import LoopbackHTTP
internal import TesseraTesting
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
    @Test("A program that is started keeps no port: listener and connections are closed in it (46)")
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

    @Test("The port is never shared: SO_REUSEPORT is off, and SO_REUSEADDR for a port that the system chose")
    func options() throws {
        let listener = try Socket.listening(on: .ipv4, port: 0)
        defer { listener.release() }
        for option in [SO_REUSEPORT, SO_REUSEADDR] {
            var value: Int32 = -1
            var size = socklen_t(MemoryLayout<Int32>.size)
            #expect(getsockopt(listener.descriptor, SOL_SOCKET, option, &value, &size) == 0)
            #expect(value == 0)
        }
    }
}
