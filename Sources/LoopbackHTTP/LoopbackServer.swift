// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import TesseraSupport

/// A small HTTP/1.1 server that listens on a loopback address or a Unix socket and runs on its own thread.
///
/// Each connection carries one request and one response. The server stops when ``stop()`` is called or when it is
/// deallocated.
package final class LoopbackServer: Sendable {
    /// The port on which the server listens, or 0 for a Unix socket.
    package let port: UInt16
    /// The address as written in a URL, which is `127.0.0.1` or `[::1]`.
    package let host: String
    private let loop: ServerLoop

    /// The URL `http://host:port`, without a trailing slash.
    package var baseURL: String { "http://\(self.host):\(self.port)" }

    /// Starts a server on a loopback address.
    ///
    /// - Parameters:
    ///   - address: The address to listen on.
    ///   - port: A fixed port, or 0 to let the system choose one.
    ///   - limits: The limits on request sizes, timeouts and connections.
    ///   - peers: The lookup that sets ``LoopbackRequest/peer``, or `nil` to leave it unset.
    ///   - uptime: Returns monotonic time in nanoseconds from any starting point, which is used to measure deadlines.
    ///   - respond: Responds to a request. The closure runs in its own task, concurrently with other connections'
    ///     requests.
    /// - Returns: The server, which is already listening.
    /// - Throws: ``LoopbackError`` for the system call that failed. If a fixed port is in use,
    ///   ``LoopbackError/isPortTaken`` is true.
    package static func start(
        on address: LoopbackAddress,
        port: UInt16 = 0,
        limits: LoopbackLimits = LoopbackLimits(),
        peers: PeerLookup? = nil,
        uptime: @escaping @Sendable () -> Int64 = LoopbackServer.systemUptime,
        respond: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
    ) throws(LoopbackError) -> LoopbackServer {
        let (address, listener) = try Self.firstListener(of: address.candidates) { address throws(LoopbackError) in
            try Socket.listening(on: address, port: port)
        }
        do throws(LoopbackError) {
            let port = try listener.port()
            let authority = "\(address.host):\(port)"
            let loop = try ServerLoop(listener: listener, limits: limits, peers: peers, uptime: uptime) { request in
                var request = request
                request.authority = authority
                return await respond(request)
            }
            try loop.start()
            return LoopbackServer(port: port, host: address.host, loop: loop)
        } catch {
            listener.release()
            throw error
        }
    }

    /// Starts a server on a Unix socket to which only the current user's processes can connect.
    ///
    /// - Parameters:
    ///   - path: The path of the socket. A socket left behind by a terminated process is replaced. The caller is
    ///     responsible for removing the socket.
    ///   - limits: The limits on request sizes, timeouts and connections.
    ///   - uptime: Returns monotonic time in nanoseconds from any starting point, which is used to measure deadlines.
    ///   - respond: Responds to a request. The closure runs in its own task.
    /// - Returns: The server, which is already listening.
    /// - Throws: ``LoopbackError`` for the system call that failed. ``LoopbackError/isNotASocket`` is true if the path
    ///   is not a socket, ``LoopbackError/belongsToAnotherUser`` if the socket belongs to another user, and
    ///   ``LoopbackError/isPortTaken`` if another process is listening there.
    package static func start(
        at path: String,
        limits: LoopbackLimits = LoopbackLimits(),
        uptime: @escaping @Sendable () -> Int64 = LoopbackServer.systemUptime,
        respond: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
    ) throws(LoopbackError) -> LoopbackServer {
        try Self.start(on: try Socket.listening(at: path), limits: limits, uptime: uptime, respond: respond)
    }

    /// Starts a server on a Unix socket that this process inherited.
    ///
    /// Only the current user's processes can connect. The inherited descriptor stays open when the server stops, and
    /// connections that the server has not accepted remain in the socket's queue.
    ///
    /// - Parameters:
    ///   - listener: The inherited socket.
    ///   - limits: The limits on request sizes, timeouts and connections.
    ///   - uptime: Returns monotonic time in nanoseconds from any starting point, which is used to measure deadlines.
    ///   - respond: Responds to a request. The closure runs in its own task.
    /// - Returns: The server, which is already listening.
    /// - Throws: ``LoopbackError`` for the system call that failed.
    package static func start(
        on listener: InheritedListener,
        limits: LoopbackLimits = LoopbackLimits(),
        uptime: @escaping @Sendable () -> Int64 = LoopbackServer.systemUptime,
        respond: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
    ) throws(LoopbackError) -> LoopbackServer {
        try Self.start(on: try Socket.copying(listener), limits: limits, uptime: uptime, respond: respond)
    }

    private static func start(
        on listener: Socket,
        limits: LoopbackLimits,
        uptime: @escaping @Sendable () -> Int64,
        respond: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
    ) throws(LoopbackError) -> LoopbackServer {
        do throws(LoopbackError) {
            let loop = try ServerLoop(listener: listener, limits: limits, uptime: uptime, respond: respond)
            try loop.start()
            return LoopbackServer(port: 0, host: "localhost", loop: loop)
        } catch {
            listener.release()
            throw error
        }
    }

    /// The maximum length in bytes of a path for ``start(at:limits:uptime:respond:)``.
    ///
    /// The limit leaves room for the temporary name, which is one byte longer.
    package static let longestPath = Socket.longestPath

    private init(port: UInt16, host: String, loop: ServerLoop) {
        self.port = port
        self.host = host
        self.loop = loop
    }

    deinit { self.loop.stop() }

    /// Stops accepting connections, and continues to serve the existing ones.
    ///
    /// Connections that were not accepted are refused or, if the socket is inherited, remain in its queue. You can
    /// safely call this method more than once.
    package func stopListening() { self.loop.stopListening() }

    /// Stops listening immediately.
    ///
    /// Responses in progress can be completed within ``LoopbackLimits/farewell``. All other connections are closed. You
    /// can safely call this method more than once.
    package func stop() { self.loop.stop() }

    /// Waits until the server has stopped and closed all of its descriptors.
    package func stopped() async { await self.loop.stopped() }

    /// Makes the server check the clock again.
    ///
    /// Call this method only after an injected `uptime` has jumped forward.
    package func wake() { self.loop.wake() }

    /// Returns monotonic time in nanoseconds since this property was first used.
    package static let systemUptime: @Sendable () -> Int64 = {
        let start = ContinuousClock.now
        return { (ContinuousClock.now - start).nanoseconds }
    }()

    /// Opens a listener on the first address that the machine supports.
    ///
    /// If a port is in use, this method throws an error rather than trying the next address.
    static func firstListener<Listener>(
        of addresses: [LoopbackAddress],
        open: (LoopbackAddress) throws(LoopbackError) -> Listener
    ) throws(LoopbackError) -> (LoopbackAddress, Listener) {
        var reason = LoopbackError(call: "socket", errorNumber: 0)
        for address in addresses {
            do throws(LoopbackError) {
                return (address, try open(address))
            } catch {
                guard error.isAddressMissing else { throw error }
                reason = error
            }
        }
        throw reason
    }
}

/// The loopback address that a server listens on.
package enum LoopbackAddress: Sendable, Hashable {
    /// The address `127.0.0.1`.
    case ipv4
    /// The address `::1`.
    case ipv6
    /// The address `127.0.0.1`, or `::1` on a machine without IPv4.
    case either

    /// The addresses to try, in order.
    var candidates: [LoopbackAddress] {
        switch self {
        case .ipv4, .ipv6: [self]
        case .either: [.ipv4, .ipv6]
        }
    }

    /// The address as written in a URL.
    var host: String { self == .ipv6 ? "[::1]" : "127.0.0.1" }
}

/// Limits on the size and duration of requests, and on the number of connections.
package struct LoopbackLimits: Sendable, Hashable {
    /// The maximum size of the request line and headers in bytes.
    ///
    /// The server rejects larger ones with status 431.
    package var headerBytes: Int
    /// The maximum size of the body in bytes.
    ///
    /// The server rejects larger ones with status 413.
    package var bodyBytes: Int
    /// The time limit from connecting to the end of the headers.
    package var headerDeadline: Duration
    /// The maximum time without progress while a client is sending its body or receiving the response.
    package var idle: Duration
    /// How long a connection stays open after its response, and after `stop()`, so that the client can finish reading.
    package var farewell: Duration
    /// The maximum number of connections.
    ///
    /// Once it is reached, a new connection replaces the oldest one that has not sent a request.
    package var connections: Int
    /// The time that a connection has to send its request before a new connection can replace it.
    ///
    /// Until then, the new connection waits.
    package var grace: Duration

    package init(
        headerBytes: Int = 16 * 1024,
        bodyBytes: Int = 64 * 1024,
        headerDeadline: Duration = .seconds(10),
        idle: Duration = .seconds(10),
        farewell: Duration = .seconds(2),
        connections: Int = 64,
        grace: Duration = .zero
    ) {
        self.headerBytes = headerBytes
        self.bodyBytes = bodyBytes
        self.headerDeadline = headerDeadline
        self.idle = idle
        self.farewell = farewell
        self.connections = connections
        self.grace = grace
    }
}

/// An error that occurred in one of the server's or client's system calls.
package struct LoopbackError: Error, Hashable, CustomStringConvertible {
    /// The name of the system call that failed.
    package let call: String
    /// The value of `errno`.
    package let errorNumber: Int32

    /// Whether another process is already listening on the port or at the path.
    package var isPortTaken: Bool { self.errorNumber == EADDRINUSE }

    /// Whether no process is listening at the Unix socket's path.
    package var isNotListening: Bool { [ENOENT, ECONNREFUSED, ENOTSOCK].contains(self.errorNumber) }

    /// Whether the path holds a socket of a process that has terminated.
    package var isStaleSocket: Bool { self.errorNumber == ECONNREFUSED }

    /// Whether the process or the path belongs to another user.
    package var belongsToAnotherUser: Bool { [EPERM, EACCES].contains(self.errorNumber) }

    /// Whether the operation timed out.
    package var isTimeout: Bool { self.errorNumber == ETIMEDOUT }

    /// Whether the path is too long for a Unix socket.
    package var isPathTooLong: Bool { self.errorNumber == ENAMETOOLONG }

    /// Whether the path exists but is not a socket.
    package var isNotASocket: Bool { self.errorNumber == EEXIST }

    package var description: String { "\(self.call): \(String(cString: strerror(self.errorNumber)))" }

    init(call: String, errorNumber: Int32 = errno) {
        self.call = call
        self.errorNumber = errorNumber
    }

    /// Whether the machine does not support this kind of address.
    var isAddressMissing: Bool {
        [EAFNOSUPPORT, EADDRNOTAVAIL, EPROTONOSUPPORT].contains(self.errorNumber)
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped so that adding it to another time does not overflow.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = self.components
        if seconds > 4_000_000_000 { return 4_000_000_000_000_000_000 }
        if seconds < 0 { return 0 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
