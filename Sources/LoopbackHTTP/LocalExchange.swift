// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import TesseraSupport

/// A blocking HTTP request that is sent to a server over a Unix socket.
package struct LocalExchange {
    private let socket: Socket
    private let deadline: ContinuousClock.Instant
    private let limit: Int

    /// Sends a request to the server that listens at a path and returns its response.
    ///
    /// Nothing is sent if the server belongs to another user.
    ///
    /// - Parameters:
    ///   - request: The request to send. `Host`, `Content-Length` and `Connection` are added.
    ///   - path: The path of the socket.
    ///   - timeout: The time limit for the whole exchange.
    ///   - limit: The maximum size of the response in bytes, including its head.
    /// - Returns: The response.
    /// - Throws: A ``LoopbackError`` that names the failed system call.
    package static func send(
        _ request: LoopbackRequest,
        to path: String,
        timeout: Duration,
        limit: Int = 1 << 20
    ) throws(LoopbackError) -> LocalResponse {
        let deadline = ContinuousClock.now + timeout
        let socket = try Self.connect(to: path, until: deadline)
        defer { socket.release() }
        guard socket.isOfThisUser else { throw LoopbackError(call: "connect", errorNumber: EPERM) }
        let exchange = LocalExchange(socket: socket, deadline: deadline, limit: limit)
        exchange.send(request)
        return try exchange.response()
    }

    /// Connects to the server, retrying while its queue of pending connections is full.
    private static func connect(
        to path: String,
        until deadline: ContinuousClock.Instant
    ) throws(LoopbackError) -> Socket {
        while true {
            let left = ContinuousClock.now.duration(to: deadline).nanoseconds / 1_000_000
            guard left > 0 else { throw LoopbackError(call: "connect", errorNumber: ETIMEDOUT) }
            let socket = Socket(descriptor: tessera_local_connect(path, Int32(clamping: left)), isAtPath: true)
            if socket.descriptor >= 0 { return socket }
            guard [EAGAIN, EINTR].contains(errno) else { throw LoopbackError(call: "connect") }
        }
    }

    /// Sends the request, ignoring errors.
    ///
    /// If the server has stopped reading, its response explains why.
    private func send(_ request: LoopbackRequest) {
        var head = "\(request.method) \(request.target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for header in request.headers { head += "\(header.name): \(header.value)\r\n" }
        head += "Content-Length: \(request.body.count)\r\n\r\n"
        let bytes = Array(head.utf8) + request.body
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                switch self.socket.send(UnsafeRawBufferPointer(rebasing: rest)) {
                case .success(let count?): rest = rest.dropFirst(count)
                case .success(nil): guard self.waits(for: POLLOUT) else { return }
                case .failure: return
                }
            }
        }
    }

    private func response() throws(LoopbackError) -> LocalResponse {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            switch self.socket.receive(into: &buffer) {
            case .bytes(let more):
                bytes += more
                guard bytes.count <= self.limit else { throw LoopbackError(call: "recv", errorNumber: EMSGSIZE) }
            case .nothing:
                guard self.waits(for: POLLIN) else { throw LoopbackError(call: "recv", errorNumber: ETIMEDOUT) }
            case .end:
                guard let response = LocalResponse(bytes) else {
                    throw LoopbackError(call: "recv", errorNumber: ECONNRESET)
                }
                return response
            }
        }
    }

    /// Waits until the socket is ready or the deadline has passed, and returns whether to try again.
    private func waits(for event: some BinaryInteger) -> Bool {
        let left = ContinuousClock.now.duration(to: self.deadline)
        guard left > .zero else { return false }
        var polled = pollfd(fd: self.socket.descriptor, events: Int16(event), revents: 0)
        return poll(&polled, 1, Int32(clamping: left.nanoseconds / 1_000_000 + 1)) != 0
    }
}

/// A response received from a server over a Unix socket.
package struct LocalResponse: Sendable, Hashable {
    /// The HTTP status code.
    package let status: Int
    /// The complete body.
    package let body: [UInt8]

    /// Parses a response that ends when the connection closes.
    ///
    /// Returns `nil` if it is malformed or incomplete.
    init?(_ bytes: [UInt8]) {
        var scanned = 0
        guard let end = RequestHead.end(in: bytes, scanned: &scanned) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
        guard words.count >= 2, words[0] == "HTTP/1.1", words[1].utf8.count == 3, let status = Int(words[1]) else {
            return nil
        }
        let lengths = lines.dropFirst()
            .compactMap { line -> Int? in
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == "content-length" else { return nil }
                return Int(parts[1].filter { $0 != " " })
            }
        let body = Array(bytes[end...])
        guard lengths.count <= 1, lengths.first ?? body.count == body.count else { return nil }
        self.status = status
        self.body = body
    }
}
