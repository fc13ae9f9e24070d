// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import TesseraSupport

/// One request to the server at a Unix socket, and its answer; blocks.
package struct LocalExchange {
    private let socket: Socket
    private let deadline: ContinuousClock.Instant
    private let limit: Int

    /// Sends a request to the program that listens at a path, and reads its answer.
    ///
    /// Nothing is sent to a program of another user.
    ///
    /// - Parameters:
    ///   - request: what is sent; `Host`, `Content-Length` and `Connection` are added.
    ///   - path: the socket.
    ///   - timeout: how long all of it may take.
    ///   - limit: the longest answer in bytes, head included.
    /// - Returns: the answer.
    /// - Throws: the call that failed; see the properties of ``LoopbackError``.
    package static func send(
        _ request: LoopbackRequest,
        to path: String,
        timeout: Duration,
        limit: Int = 1 << 20
    ) throws(LoopbackError) -> LocalAnswer {
        let deadline = ContinuousClock.now + timeout
        let socket = try Self.connect(to: path, until: deadline)
        defer { socket.release() }
        guard socket.isOfThisUser else { throw LoopbackError(call: "connect", errorNumber: EPERM) }
        let exchange = LocalExchange(socket: socket, deadline: deadline, limit: limit)
        exchange.send(request)
        return try exchange.answer()
    }

    /// Connects, and waits while more clients want to than the server's queue has places.
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

    /// What cannot be sent was refused: the answer tells.
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

    private func answer() throws(LoopbackError) -> LocalAnswer {
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
                guard let answer = LocalAnswer(bytes) else {
                    throw LoopbackError(call: "recv", errorNumber: ECONNRESET)
                }
                return answer
            }
        }
    }

    /// Waits until something can be done, or the deadline has passed; whether to try.
    private func waits(for event: some BinaryInteger) -> Bool {
        let left = ContinuousClock.now.duration(to: self.deadline)
        guard left > .zero else { return false }
        var polled = pollfd(fd: self.socket.descriptor, events: Int16(event), revents: 0)
        return poll(&polled, 1, Int32(clamping: left.nanoseconds / 1_000_000 + 1)) != 0
    }
}

/// What a server at a Unix socket answered.
package struct LocalAnswer: Sendable, Hashable {
    /// The status.
    package let status: Int
    /// The body, whole.
    package let body: [UInt8]

    /// Reads an answer up to the connection's end; nil when it is none, or not all of it came.
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
