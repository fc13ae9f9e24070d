// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// A TCP connection that sends exactly what a test says: the hostile client.
///
/// It waits on threads of its own, never on cooperative ones, and gives up after 30 seconds without progress.
package final class LoopbackConnection: Sendable {
    /// A system call failed.
    package struct Failure: Error, Hashable {
        package let call: String
        package let errorNumber: Int32

        /// Whether nobody listens there.
        package var isRefused: Bool { self.errorNumber == ECONNREFUSED }
    }

    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = close(self.descriptor) }

    /// Connects to an address literal.
    package static func open(_ address: String = "127.0.0.1", port: UInt16) async throws -> LoopbackConnection {
        var storage = sockaddr_storage()
        let (family, size) = try Self.fill(&storage, address, port)
        let connection = LoopbackConnection(descriptor: tessera_stream_socket(family))
        guard connection.descriptor >= 0 else { throw Failure(call: "socket", errorNumber: errno) }
        let result = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(connection.descriptor, $0, size) }
        }
        if result < 0, errno != EINPROGRESS { throw Failure(call: "connect", errorNumber: errno) }
        try await connection.wait(for: POLLOUT)
        var failure: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(connection.descriptor, SOL_SOCKET, SO_ERROR, &failure, &length)
        guard failure == 0 else { throw Failure(call: "connect", errorNumber: failure) }
        return connection
    }

    /// Sends bytes; those that the other side does not take any more are an error.
    package func send(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { tessera_send(self.descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try await self.wait(for: POLLOUT)
            } else {
                throw Failure(call: "send", errorNumber: errno)
            }
        }
    }

    /// Sends text.
    package func send(_ text: String) async throws { try await self.send(Array(text.utf8)) }

    /// What comes until the other side closes or resets the connection.
    package func receiveAll() async throws -> [UInt8] {
        try await self.receive { _ in false }
    }

    /// What comes until there is something, or the end.
    package func receiveSome() async throws -> [UInt8] {
        try await self.receive { !$0.isEmpty }
    }

    private func receive(until isEnough: ([UInt8]) -> Bool) async throws -> [UInt8] {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while !isEnough(received) {
            let count = recv(self.descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                received += buffer[..<count]
            } else if count < 0, errno == EAGAIN {
                try await self.wait(for: POLLIN)
            } else {
                break
            }
        }
        return received
    }

    private func wait(for events: Int32) async throws {
        var polled = pollfd(fd: self.descriptor, events: Int16(events), revents: 0)
        if poll(&polled, 1, 0) > 0 { return }
        try await withCheckedThrowingContinuation { continuation in
            let wait = Unmanaged.passRetained(Wait(connection: self, events: events, continuation: continuation))
            let failure = tessera_start_thread(
                { context in
                    guard let context else { return }
                    Unmanaged<Wait>.fromOpaque(context).takeRetainedValue().run()
                },
                wait.toOpaque()
            )
            if failure != 0 {
                wait.release()
                continuation.resume(throwing: Failure(call: "pthread_create", errorNumber: failure))
            }
        }
    }

    /// One `poll` on a thread of its own.
    private final class Wait: Sendable {
        let connection: LoopbackConnection
        let events: Int32
        let continuation: CheckedContinuation<Void, any Error>

        init(connection: LoopbackConnection, events: Int32, continuation: CheckedContinuation<Void, any Error>) {
            self.connection = connection
            self.events = events
            self.continuation = continuation
        }

        func run() {
            var polled = pollfd(fd: self.connection.descriptor, events: Int16(self.events), revents: 0)
            if poll(&polled, 1, 30_000) > 0 {
                self.continuation.resume()
            } else {
                self.continuation.resume(throwing: Failure(call: "poll", errorNumber: ETIMEDOUT))
            }
        }
    }

    private static func fill(
        _ storage: inout sockaddr_storage,
        _ address: String,
        _ port: UInt16
    ) throws(Failure) -> (family: Int32, size: socklen_t) {
        var four = sockaddr_in()
        if inet_pton(AF_INET, address, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: four, as: sockaddr_in.self) }
            return (AF_INET, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        var six = sockaddr_in6()
        guard inet_pton(AF_INET6, address, &six.sin6_addr) == 1 else {
            throw Failure(call: "inet_pton", errorNumber: EINVAL)
        }
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: six, as: sockaddr_in6.self) }
        return (AF_INET6, socklen_t(MemoryLayout<sockaddr_in6>.size))
    }
}
