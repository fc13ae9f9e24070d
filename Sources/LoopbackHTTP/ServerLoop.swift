// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import TesseraSupport

/// The server's thread, which runs a `poll` loop over the listener, the wake-up pipe and the connections.
final class ServerLoop: Sendable {
    typealias Respond = @Sendable (LoopbackRequest) async -> LoopbackResponse

    /// State that other threads access.
    private struct Shared {
        var listener: Socket?
        var wakeUp: Socket?
        var responses: [(id: UInt64, response: LoopbackResponse)] = []
        var isListening = true
        var isStopping = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let shared: Mutex<Shared>
    private let listener: Socket
    private let wakeEnd: Socket
    private let limits: LoopbackLimits
    private let peers: PeerLookup?
    private let uptime: @Sendable () -> Int64
    private let respond: Respond

    /// Creates a loop, which takes ownership of the listener.
    init(
        listener: Socket,
        limits: LoopbackLimits,
        peers: PeerLookup? = nil,
        uptime: @escaping @Sendable () -> Int64,
        respond: @escaping Respond
    ) throws(LoopbackError) {
        var ends: [Int32] = [-1, -1]
        guard tessera_pipe(&ends) == 0 else { throw LoopbackError(call: "pipe") }
        self.listener = listener
        self.wakeEnd = Socket(descriptor: ends[0])
        self.shared = Mutex(Shared(listener: listener, wakeUp: Socket(descriptor: ends[1])))
        self.limits = limits
        self.peers = peers
        self.uptime = uptime
        self.respond = respond
    }

    /// Starts the thread, which retains the loop until it is stopped.
    func start() throws(LoopbackError) {
        let failure = DetachedThread.start { self.run() }
        guard failure == 0 else {
            self.finish()
            throw LoopbackError(call: "pthread_create", errorNumber: failure)
        }
    }

    /// Wakes the thread so that it checks the clock and the shared state again.
    func wake() {
        self.shared.withLock { shared in
            guard let wakeUp = shared.wakeUp else { return }
            var byte: UInt8 = 0
            _ = write(wakeUp.descriptor, &byte, 1)  // A full pipe also wakes the thread.
        }
    }

    /// Stops listening and keeps the connections.
    func stopListening() {
        self.shared.withLock { shared in
            shared.isListening = false
            shared.listener?.endListening()
        }
        self.wake()
    }

    /// Stops listening immediately and closes the connections shortly afterward.
    func stop() {
        self.shared.withLock { shared in
            shared.isListening = false
            shared.isStopping = true
            shared.listener?.endListening()
        }
        self.wake()
    }

    /// Waits until all descriptors are closed.
    func stopped() async {
        await withCheckedContinuation { continuation in
            let isOver = self.shared.withLock { shared in
                if shared.wakeUp == nil { return true }
                shared.waiters.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Runs the loop until the server has stopped.
    func run() {
        var connections: [LoopbackServerConnection] = []
        var nextID: UInt64 = 0
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        var acceptsAgainAt: Int64?
        var isListening = true
        var isStopping = false
        // The number of requests in progress, including those from clients that have disconnected.
        var handled = 0

        while true {
            var now = self.uptime()
            if let time = acceptsAgainAt, time <= now { acceptsAgainAt = nil }
            let placeAt =
                self.places(of: connections, handled: handled) < self.limits.connections
                ? now : Self.next(of: connections).flatMap { connections[$0].yieldsAt }
            let accepts = isListening && acceptsAgainAt == nil && placeAt.map { $0 <= now } ?? false
            var polled = [pollfd(fd: self.wakeEnd.descriptor, events: Int16(POLLIN), revents: 0)]
            polled.append(pollfd(fd: accepts ? self.listener.descriptor : -1, events: Int16(POLLIN), revents: 0))
            for connection in connections {
                let events = (connection.wantsToRead ? POLLIN : 0) | (connection.wantsToWrite ? POLLOUT : 0)
                polled.append(pollfd(fd: connection.socket.descriptor, events: Int16(events), revents: 0))
            }
            let looksAt = !isListening || accepts ? nil : acceptsAgainAt ?? placeAt
            let wakesAt = (connections.compactMap(\.wakesAt) + [looksAt].compactMap(\.self)).min()
            _ = poll(&polled, nfds_t(polled.count), Self.milliseconds(until: wakesAt, now: now))

            now = self.uptime()
            if polled[0].revents != 0 { while read(self.wakeEnd.descriptor, &buffer, buffer.count) > 0 {} }
            for index in connections.indices {
                let happened = Int32(polled[index + 2].revents)
                if happened & (POLLERR | POLLNVAL) != 0 {
                    connections[index].close()
                } else if happened & (POLLIN | POLLHUP) != 0, connections[index].wantsToRead {
                    if let request = connections[index].read(into: &buffer, now: now) {
                        handled += 1
                        self.handle(request, of: connections[index].id)
                    }
                } else if happened & POLLHUP != 0 {
                    connections[index].close()
                } else if happened & POLLOUT != 0 {
                    connections[index].write(now: now)
                }
            }
            let (responses, listens, stops) = self.shared.withLock { shared in
                defer { shared.responses = [] }
                return (shared.responses, shared.isListening, shared.isStopping)
            }
            handled -= responses.count
            for (id, response) in responses {
                guard let index = connections.firstIndex(where: { $0.id == id && !$0.isClosed }) else { continue }
                connections[index].send(response, now: now)
            }
            for index in connections.indices { connections[index].tick(now: now) }
            if !listens, isListening {
                isListening = false
                self.closeListener()
            }
            if stops, !isStopping {
                isStopping = true
                let deadline = now &+ self.limits.farewell.nanoseconds
                for index in connections.indices { connections[index].stop(deadline: deadline) }
            }
            connections.removeAll(where: \.isClosed)
            if isStopping, connections.isEmpty { break }
            if isListening, polled[1].revents != 0 {
                let firstNewID = nextID
                acceptsAgainAt = self.accept(into: &connections, handled: handled, nextID: &nextID, now: now)
                self.findPeers(of: &connections, from: firstNewID)
            }
        }
        self.finish()
    }

    /// Returns the number of occupied connection slots.
    ///
    /// A request occupies its slot until it has been handled, even if the client has disconnected.
    private func places(of connections: [LoopbackServerConnection], handled: Int) -> Int {
        connections.count { !$0.isAnswering } + handled
    }

    /// Returns the index of the connection that a new one would replace next.
    private static func next(of connections: [LoopbackServerConnection]) -> Int? {
        connections.indices.filter { connections[$0].yieldsAt != nil }
            .min { connections[$0].yieldsAt ?? 0 < connections[$1].yieldsAt ?? 0 }
    }

    /// Accepts pending connections.
    ///
    /// If the process has run out of descriptors, returns the time at which to try again.
    ///
    /// At most as many connections are accepted as there are slots, so that each one is read from before it can be
    /// replaced.
    private func accept(
        into connections: inout [LoopbackServerConnection],
        handled: Int,
        nextID: inout UInt64,
        now: Int64
    ) -> Int64? {
        var places = self.places(of: connections, handled: handled)
        for _ in 0..<self.limits.connections {
            var next: Int?
            if places >= self.limits.connections {
                next = Self.next(of: connections)
                guard let next, let time = connections[next].yieldsAt, time <= now else { return nil }
            }
            switch self.listener.accept() {
            case .success(let socket):
                if let next {
                    connections[next].close()
                    connections.remove(at: next)
                } else {
                    places += 1
                }
                connections.append(LoopbackServerConnection(id: nextID, socket: socket, limits: self.limits, now: now))
                nextID &+= 1
            case .failure(let error):
                switch error.errorNumber {
                case EINTR, ECONNABORTED: continue
                case EAGAIN, EWOULDBLOCK: return nil
                default: return now &+ 100_000_000
                }
            }
        }
        return nil
    }

    /// Looks up the peers of all connections that were accepted together, in a single pass over the connection table.
    private func findPeers(of connections: inout [LoopbackServerConnection], from firstNewID: UInt64) {
        guard let peers = self.peers else { return }
        let found = connections.indices.compactMap { index -> (index: Int, connection: TCPConnection)? in
            guard connections[index].id >= firstNewID else { return nil }
            return connections[index].socket.tcpConnection.map { (index, $0) }
        }
        for ((index, _), user) in zip(found, peers.users(of: found.map(\.connection))) {
            connections[index].peer = user.map { LoopbackPeer(user: $0, process: 0) }
        }
    }

    private func handle(_ request: LoopbackRequest, of id: UInt64) {
        Task {
            let response = await self.respond(request)
            self.shared.withLock { $0.responses.append((id, response)) }
            self.wake()
        }
    }

    private func closeListener() {
        self.shared.withLock { shared in
            shared.listener?.release()
            shared.listener = nil
        }
    }

    private func finish() {
        let waiters = self.shared.withLock { shared in
            shared.wakeUp?.release()
            shared.wakeUp = nil
            defer { shared.waiters = [] }
            return shared.waiters
        }
        self.wakeEnd.release()
        for waiter in waiters { waiter.resume() }
    }

    /// Returns the timeout for `poll`, which is -1 for no limit.
    ///
    /// Other values are rounded up so that the thread does not spin.
    private static func milliseconds(until time: Int64?, now: Int64) -> Int32 {
        guard let time else { return -1 }
        let missing = max(0, time &- now)
        return Int32(clamping: missing / 1_000_000 &+ 1)
    }
}
