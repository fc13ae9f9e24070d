// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import Foundation
@testable internal import LoopbackHTTP
@testable internal import TesseraAgent
internal import Tessera
internal import TesseraTesting
internal import Testing

@Suite("Inherited socket of the agent", .timeLimit(.minutes(1)))
struct InheritedSocketInternalTests {
    @Test("Serves clients and does not remove the socket's file")
    func service() async throws {
        try await Self.withListener { harness, listener in
            for _ in 0..<2 {
                let agent = try await harness.start(on: try InheritedSocket(descriptor: listener.descriptor))
                #expect(agent.location == harness.location)
                #expect(try await harness.client.token().expiresIn == 3_600)
                await agent.stop()
                #expect(FileManager.default.fileExists(atPath: harness.location.socket))
            }
        }
    }

    @Test("Leaves connections that arrive after the agent has stopped to the next agent")
    func waitingClient() async throws {
        try await Self.withListener { harness, listener in
            let socket = try InheritedSocket(descriptor: listener.descriptor)
            await (try await harness.start(on: socket)).stop()
            let waiting = Task { try await harness.client.token() }
            var polled = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
            while poll(&polled, 1, 0) == 0 { await Task.yield() }
            let next = try await harness.start(on: socket)
            #expect(try await waiting.value.expiresIn == 3_600)
            await next.stop()
        }
    }

    @Test("Finishes a refresh in progress before the agent stops")
    func refresh() async throws {
        try await Self.withListener { harness, listener in
            let agent = try await harness.start(on: try InheritedSocket(descriptor: listener.descriptor))
            harness.expire()
            let gate = Gate()
            harness.network.intercept("/token") { _ in
                await gate.pass()
                return nil
            }
            let waiting = Task { try await harness.client.token().accessToken }
            await gate.waitForArrival()
            let stopping = Task { await agent.stop() }
            gate.open()
            let token = try await waiting.value
            await stopping.value
            #expect(try await harness.records().first?.tokens?.accessToken == token)
        }
    }

    @Test("A second agent does not start at the same socket")
    func second() async throws {
        try await Self.withListener { harness, listener in
            let socket = try InheritedSocket(descriptor: listener.descriptor)
            let agent = try await harness.start(on: socket)
            await #expect { _ = try await harness.start(on: socket) } throws: { AgentError.Code.alreadyRunning ~= $0 }
            #expect(try await harness.client.status().grants == 0)
            await agent.stop()
        }
    }

    @Test("Rejects a socket in a directory that other users can access")
    func openDirectory() async throws {
        try await Self.withListener { harness, listener in
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: harness.directory)
            let socket = try InheritedSocket(descriptor: listener.descriptor)
            await #expect { _ = try await harness.start(on: socket) } throws: { AgentError.Code.unsafeLocation ~= $0 }
            #expect(FileManager.default.fileExists(atPath: harness.location.socket))
        }
    }

    @Test("Child processes do not inherit the socket, and it is non-blocking")
    func flags() async throws {
        try await Self.withListener { _, listener in
            #expect(fcntl(listener.descriptor, F_SETFD, 0) == 0)
            #expect(fcntl(listener.descriptor, F_SETFL, 0) == 0)
            _ = try InheritedSocket(descriptor: listener.descriptor)
            #expect(fcntl(listener.descriptor, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(listener.descriptor, F_GETFL) & O_NONBLOCK != 0)
        }
    }

    /// Descriptors that are not listening Unix stream sockets.
    enum Obstacle: String, CaseIterable {
        case closed = "is not open"
        case file = "is not a socket"
        case network = "is not a Unix socket"
        case datagram = "is not a stream socket"
        case unconnected = "is not a listening socket"

        /// Returns a new descriptor.
        func open() throws -> Int32 {
            switch self {
            case .closed: -1
            case .file: Foundation.open("/dev/null", O_RDWR)
            case .network: try Socket.listening(on: .ipv4, port: 0).descriptor
            case .datagram: socket(AF_UNIX, Self.datagramType, 0)
            case .unconnected: socket(AF_UNIX, Self.streamType, 0)
            }
        }

        #if canImport(Glibc)
        private static let datagramType = Int32(SOCK_DGRAM.rawValue)
        private static let streamType = Int32(SOCK_STREAM.rawValue)
        #else
        private static let datagramType = SOCK_DGRAM
        private static let streamType = SOCK_STREAM
        #endif
    }

    @Test("Rejects any other descriptor, names the reason and does not change it", arguments: Obstacle.allCases)
    func rejected(_ obstacle: Obstacle) throws {
        let descriptor = try obstacle.open()
        defer { close(descriptor) }
        let flags = fcntl(descriptor, F_GETFD)
        #expect { _ = try InheritedSocket(descriptor: descriptor) } throws: { error in
            AgentError.Code.unusableSocket ~= error && "\(error)".hasSuffix(obstacle.rawValue)
        }
        #expect(fcntl(descriptor, F_GETFD) == flags)
    }

    /// Runs a test with a signed-in user and a socket that listens at the harness's location.
    private static func withListener(_ body: (AgentHarness, Socket) async throws -> Void) async throws {
        try await AgentHarness.with { harness in
            _ = try await harness.signIn.signIn(scopes: [.openID, .email])
            try harness.location.prepare()
            // `Socket.listening(at:)` binds another name and renames the file.
            let listener = Socket(descriptor: tessera_local_listen(harness.location.socket, 16))
            defer { listener.release() }
            try await body(harness, listener)
        }
    }
}
