// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import TesseraSupport

/// A small HTTP/1.1 server on a loopback address or a Unix socket, with a thread of its own.
///
/// One request and one answer per connection. It stops by ``stop()``, or when nobody holds it any more.
package final class LoopbackServer: Sendable {
    /// The port it listens on; 0 for a Unix socket.
    package let port: UInt16
    /// The address as it stands in a URL: `127.0.0.1` or `[::1]`.
    package let host: String
    private let loop: ServerLoop

    /// `http://host:port`, without a slash at the end.
    package var baseURL: String { "http://\(self.host):\(self.port)" }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - address: where to listen.
    ///   - port: a fixed port, or 0 for one that the system chooses.
    ///   - limits: what clients may take.
    ///   - peers: Finds the user of each client for ``LoopbackRequest/peer``. Nil looks for none.
    ///   - uptime: nanoseconds since any start, never going back; measures the deadlines.
    ///   - respond: answers a request, in a task of its own; requests on several connections run at the same time.
    /// - Returns: the server, which already listens.
    /// - Throws: the system call that failed; ``LoopbackError/isPortTaken`` tells of a fixed port in use.
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

    /// Starts to listen on a Unix socket, for programs of this user alone; otherwise as on a loopback address.
    ///
    /// - Parameters:
    ///   - path: the socket's name; a dead program's socket is replaced. The caller removes it.
    ///   - limits: what clients may take.
    ///   - uptime: nanoseconds since any start, never going back; measures the deadlines.
    ///   - respond: answers a request, in a task of its own.
    /// - Returns: the server, which already listens.
    /// - Throws: the system call that failed; ``LoopbackError/isNoSocket`` where something else is there,
    ///   ``LoopbackError/isAnotherUsers`` for another user's socket, ``LoopbackError/isPortTaken`` where a program listens.
    package static func start(
        at path: String,
        limits: LoopbackLimits = LoopbackLimits(),
        uptime: @escaping @Sendable () -> Int64 = LoopbackServer.systemUptime,
        respond: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
    ) throws(LoopbackError) -> LoopbackServer {
        let listener = try Socket.listening(at: path)
        do throws(LoopbackError) {
            let loop = try ServerLoop(listener: listener, limits: limits, uptime: uptime, respond: respond)
            try loop.start()
            return LoopbackServer(port: 0, host: "localhost", loop: loop)
        } catch {
            listener.release()
            throw error
        }
    }

    /// The longest path for ``start(at:limits:uptime:respond:)`` in bytes: the name that it has first is longer by one.
    package static let longestPath = Socket.longestPath

    private init(port: UInt16, host: String, loop: ServerLoop) {
        self.port = port
        self.host = host
        self.loop = loop
    }

    deinit { self.loop.stop() }

    /// Ends listening at once.
    ///
    /// Answers on their way may be finished within the limits' farewell; everything else is
    /// closed. Can be called any number of times.
    package func stop() { self.loop.stop() }

    /// Returns when the server has stopped and every descriptor of it is closed.
    package func stopped() async { await self.loop.stopped() }

    /// Looks at the clock again; needed only after an injected `uptime` jumped.
    package func wake() { self.loop.wake() }

    /// Nanoseconds since the first call.
    package static let systemUptime: @Sendable () -> Int64 = {
        let start = ContinuousClock.now
        return { (ContinuousClock.now - start).nanoseconds }
    }()

    /// The first address of those that the machine has.
    ///
    /// A port that is taken is an error, not a reason to go on.
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

/// Which loopback address a server listens on; never another one.
package enum LoopbackAddress: Sendable, Hashable {
    /// `127.0.0.1`.
    case ipv4
    /// `::1`.
    case ipv6
    /// `127.0.0.1`, and `::1` on a machine that has no IPv4.
    case either

    /// The addresses to try, in order.
    var candidates: [LoopbackAddress] {
        switch self {
        case .ipv4, .ipv6: [self]
        case .either: [.ipv4, .ipv6]
        }
    }

    /// The address as it stands in a URL.
    var host: String { self == .ipv6 ? "[::1]" : "127.0.0.1" }
}

/// What a client may take: bytes, time, connections.
package struct LoopbackLimits: Sendable, Hashable {
    /// The longest request line and headers, in bytes; more is answered with 431.
    package var headerBytes: Int
    /// The longest body, in bytes; more is answered with 413.
    package var bodyBytes: Int
    /// How long a client may take from connecting to the end of its headers.
    package var headerDeadline: Duration
    /// How long a client may neither send its body nor take its response.
    package var idle: Duration
    /// How long a connection stays after its response, and after `stop()`, for the client to take the rest.
    package var farewell: Duration
    /// Connections at a time; when one more comes, the oldest that has not sent a request is closed.
    package var connections: Int
    /// How long a connection may take for its request before it is closed for a new one, which waits until then.
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

/// A system call of the server failed.
package struct LoopbackError: Error, Hashable, CustomStringConvertible {
    /// The call.
    package let call: String
    /// Its error number.
    package let errorNumber: Int32

    /// Whether another program listens on the port.
    package var isPortTaken: Bool { self.errorNumber == EADDRINUSE }

    /// Whether no program listens at a Unix socket's path.
    package var isNobodyThere: Bool { [ENOENT, ECONNREFUSED, ENOTSOCK].contains(self.errorNumber) }

    /// Whether a program that died left its socket at the path.
    package var isSocketDead: Bool { self.errorNumber == ECONNREFUSED }

    /// Whether the program at the other end is another user's, or its place is.
    package var isAnotherUsers: Bool { [EPERM, EACCES].contains(self.errorNumber) }

    /// Whether the other program took too long.
    package var isTimeout: Bool { self.errorNumber == ETIMEDOUT }

    /// Whether the path is too long for a Unix socket.
    package var isPathTooLong: Bool { self.errorNumber == ENAMETOOLONG }

    /// Whether something else than a socket is at a Unix socket's path.
    package var isNoSocket: Bool { self.errorNumber == EEXIST }

    package var description: String { "\(self.call): \(String(cString: strerror(self.errorNumber)))" }

    init(call: String, errorNumber: Int32 = errno) {
        self.call = call
        self.errorNumber = errorNumber
    }

    /// Whether the machine does not have this kind of address at all.
    var isAddressMissing: Bool {
        [EAFNOSUPPORT, EADDRNOTAVAIL, EPROTONOSUPPORT].contains(self.errorNumber)
    }
}

extension Duration {
    /// The duration in nanoseconds, held within what 64 bits can say with room to add.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = self.components
        if seconds > 4_000_000_000 { return 4_000_000_000_000_000_000 }
        if seconds < 0 { return 0 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
