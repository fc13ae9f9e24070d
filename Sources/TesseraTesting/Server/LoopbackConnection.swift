// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import Dispatch
internal import TesseraSupport

/// A TCP connection that sends arbitrary bytes, for simulating hostile clients.
///
/// The connection waits on its own threads, never on the cooperative pool, and fails after 30 seconds without progress.
package final class LoopbackConnection: Sendable {
    /// A failed system call.
    package struct Failure: Error, Hashable {
        package let call: String
        package let errorNumber: Int32

        /// Whether no process is listening on the port.
        package var isRefused: Bool { self.errorNumber == ECONNREFUSED }
    }

    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = close(self.descriptor) }

    /// Connects to an IP address.
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

    /// Sends all bytes, or throws an error if the server stops receiving.
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

    /// Sends text as UTF-8.
    package func send(_ text: String) async throws { try await self.send(Array(text.utf8)) }

    /// Returns all bytes received until the server closes or resets the connection.
    package func receiveAll() async throws -> [UInt8] {
        try await self.receive { _ in false }
    }

    /// Returns the next received bytes, or an empty array at the end of the connection.
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
        if self.isReady(for: events, within: 0) { return }
        let isReady = await withCheckedContinuation { continuation in
            DispatchQueue(label: "tessera.loopback-connection")
                .async {
                    continuation.resume(returning: self.isReady(for: events, within: 30_000))
                }
        }
        guard isReady else { throw Failure(call: "poll", errorNumber: ETIMEDOUT) }
    }

    private func isReady(for events: Int32, within milliseconds: Int32) -> Bool {
        var polled = pollfd(fd: self.descriptor, events: Int16(events), revents: 0)
        return poll(&polled, 1, milliseconds) > 0
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

/// A parsed response from a ``LoopbackConnection``.
package struct LoopbackReply: Sendable, Hashable {
    /// The status code, or 0 if the received bytes do not start with a status line.
    package let status: Int
    /// The header fields, with lowercase names.
    package let headers: [String: String]
    /// The text after the empty line.
    package let body: String

    package init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        let head = lines.prefix { !$0.isEmpty }
        let words = (head.first ?? "").split(separator: " ")
        self.status = words.count >= 2 && words[0] == "HTTP/1.1" ? Int(words[1]) ?? 0 : 0
        var headers: [String: String] = [:]
        for line in head.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        self.headers = headers
        self.body = lines.dropFirst(head.count + 1).joined(separator: "\r\n")
    }

    /// Sends text to a port on a loopback address and returns the complete response.
    package static func to(
        _ request: String,
        address: String = "127.0.0.1",
        port: UInt16
    ) async throws -> LoopbackReply {
        let connection = try await LoopbackConnection.open(address, port: port)
        try await connection.send(request)
        return LoopbackReply(try await connection.receiveAll())
    }

    /// Sends a GET request with a correct Host header field and returns the response.
    package static func get(_ target: String, port: UInt16) async throws -> LoopbackReply {
        try await Self.to("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n", port: port)
    }
}
