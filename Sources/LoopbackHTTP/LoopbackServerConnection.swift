// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A client connection, from accept to close.
struct LoopbackServerConnection {
    enum Phase {
        case reading(RequestReader)
        /// The handler is processing the request.
        case answering(method: String)
        case writing(ResponseWriter)
        /// The raw response was sent. The connection stays open, but nothing more is sent.
        case hanging
        /// The response was sent, and the server is waiting for the client to read it and close the connection.
        ///
        /// If the server closed the connection before reading all bytes from the client, it would reset the connection,
        /// and the response could be lost.
        case leaving
        case closed
    }

    let id: UInt64
    let socket: Socket
    /// The user and process that connected, if the server looks up peers.
    var peer: LoopbackPeer?
    private let limits: LoopbackLimits
    private(set) var phase: Phase
    /// The time at which the connection is closed unless there is progress, or `nil` for no limit.
    private var deadline: Int64?
    /// The time at which the connection is closed unconditionally, or `nil` until the server stops.
    private var end: Int64?
    /// The time from which a new connection may replace this one.
    ///
    /// A connection that is handling a request or sending a response is never replaced. Received bytes do not extend
    /// this time, so a client that sends one byte at a time is treated as idle.
    private var placeIsFreeAt: Int64

    init(id: UInt64, socket: Socket, limits: LoopbackLimits, now: Int64) {
        self.id = id
        self.socket = socket
        self.limits = limits
        self.phase = .reading(RequestReader(limits: limits))
        self.deadline = now &+ limits.headerDeadline.nanoseconds
        self.placeIsFreeAt = now &+ limits.grace.nanoseconds
    }

    /// The time from which a new connection may replace this one, or `nil` while it is handling a request or sending a
    /// response.
    var yieldsAt: Int64? {
        switch self.phase {
        case .reading, .hanging, .leaving: self.placeIsFreeAt
        case .answering, .writing, .closed: nil
        }
    }

    var isAnswering: Bool { if case .answering = self.phase { true } else { false } }

    var isClosed: Bool { if case .closed = self.phase { true } else { false } }
    var wantsToRead: Bool {
        switch self.phase {
        case .reading, .hanging, .leaving: true
        case .answering, .writing, .closed: false
        }
    }
    var wantsToWrite: Bool { if case .writing(let writer) = self.phase { writer.resumesAt == nil } else { false } }

    /// The next time at which the connection needs attention, even if the client does nothing.
    var wakesAt: Int64? {
        let next =
            if case .writing(let writer) = self.phase { writer.resumesAt ?? self.deadline } else { self.deadline }
        return [next, self.end].compactMap(\.self).min()
    }

    /// Reads the available bytes and returns the request once it is complete.
    mutating func read(into buffer: inout [UInt8], now: Int64) -> LoopbackRequest? {
        switch self.socket.receive(into: &buffer) {
        case .nothing: break
        case .end: self.close()
        case .bytes(let bytes):
            guard case .reading(var reader) = self.phase else { break }
            self.phase = .closed  // Avoids copying the reader's buffer.
            let outcome = reader.append(bytes)
            self.phase = .reading(reader)
            switch outcome {
            case .needsMore:
                if reader.hasHead { self.deadline = now &+ self.limits.idle.nanoseconds }
            case .refused(let status):
                self.send(.text(status: status, "The server cannot process this request.\n"), now: now)
            case .request(var request):
                request.peer = self.socket.isAtPath ? self.socket.peer : self.peer
                self.phase = .answering(method: request.method)
                self.deadline = nil
                return request
            }
        }
        return nil
    }

    /// Starts sending a response.
    mutating func send(_ response: LoopbackResponse, now: Int64) {
        let method = if case .answering(let method) = self.phase { method } else { "GET" }
        self.phase = .writing(ResponseWriter(response, method: method))
        self.write(now: now)
    }

    /// Sends as many bytes as the socket accepts.
    mutating func write(now: Int64) {
        guard case .writing(var writer) = self.phase else { return }
        self.deadline = now &+ self.limits.idle.nanoseconds
        let socket = self.socket
        var isLost = false
        writer.write(now: now) { bytes in
            switch socket.send(bytes) {
            case .success(let count): return count
            case .failure:
                isLost = true
                return nil
            }
        }
        if isLost {
            self.close()
        } else if !writer.isDone {
            self.phase = .writing(writer)
        } else if writer.ending == .hang {
            self.phase = .hanging
            self.deadline = nil
            self.placeIsFreeAt = now
        } else {
            self.socket.endSending()
            self.phase = .leaving
            self.deadline = now &+ self.limits.farewell.nanoseconds
            self.placeIsFreeAt = now
        }
    }

    /// Closes the connection if a deadline has passed, or resumes sending after a pause.
    mutating func tick(now: Int64) {
        if let end, end <= now {
            self.close()
        } else if case .writing(let writer) = self.phase, let resumesAt = writer.resumesAt {
            if resumesAt <= now { self.write(now: now) }
        } else if let deadline, deadline <= now {
            self.close()
        }
    }

    /// Prepares for the server to stop.
    ///
    /// A response in progress can be completed until `deadline`. Otherwise, the connection is closed.
    mutating func stop(deadline: Int64) {
        switch self.phase {
        case .reading, .hanging: self.close()
        case .answering, .writing, .leaving: self.end = deadline
        case .closed: break
        }
    }

    mutating func close() {
        if self.isClosed { return }
        self.phase = .closed
        self.socket.release()
    }
}

/// The unsent bytes of a response and the times at which to send them.
struct ResponseWriter {
    private var chunks: ArraySlice<[UInt8]>
    private var offset = 0
    private let pause: Int64
    let ending: LoopbackResponse.Ending
    /// The time at which the next chunk may be sent, or `nil` if it may be sent now.
    private(set) var resumesAt: Int64?

    init(_ response: LoopbackResponse, method: String) {
        switch response.storage {
        case .raw(let chunks, let pause, let ending):
            self.chunks = chunks[...]
            self.pause = pause.nanoseconds
            self.ending = ending
        case .message(let status, let headers, let body):
            var head = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
            for header in headers where !Self.hasControl(header.name) && !Self.hasControl(header.value) {
                head += "\(header.name): \(header.value)\r\n"
            }
            let hasBody = status >= 200 && status != 204 && status != 304
            if hasBody { head += "Content-Length: \(body.count)\r\n" }
            head += "Connection: close\r\n\r\n"
            self.chunks = [Array(head.utf8) + (hasBody && method != "HEAD" ? body : [])]
            self.pause = 0
            self.ending = .close
        }
    }

    /// Whether the entire response has been sent.
    var isDone: Bool { self.chunks.isEmpty }

    /// Sends as many bytes as possible.
    ///
    /// - Parameters:
    ///   - now: The current time in nanoseconds.
    ///   - send: Sends bytes and returns how many were accepted, or `nil` if the call would block.
    mutating func write(now: Int64, send: (UnsafeRawBufferPointer) -> Int?) {
        if let resumesAt {
            guard resumesAt <= now else { return }
            self.resumesAt = nil
        }
        while let chunk = self.chunks.first {
            while self.offset < chunk.count {
                let offset = self.offset
                let sent = chunk.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
                guard let sent else { return }
                self.offset += sent
            }
            self.chunks.removeFirst()
            self.offset = 0
            if self.pause > 0, !self.chunks.isEmpty {
                self.resumesAt = now &+ self.pause
                return
            }
        }
    }

    private static func hasControl(_ text: String) -> Bool { text.utf8.contains { $0 < 0x20 || $0 == 0x7F } }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 302: "Found"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 413: "Content Too Large"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}
