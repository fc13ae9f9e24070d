// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import CTesseraCurl
internal import TesseraSupport

/// An epoll set that contains the sockets that libcurl is waiting for.
///
/// A connection's socket stays in the set between requests so that a request on it needs no additional system call.
/// Other sockets, which libcurl uses for name resolution, are removed as soon as libcurl is no longer interested in
/// them, because they are closed without notice and their numbers are reused.
final class SocketSet {
    private let epoll: Int32
    private let wake: Int32
    /// The events that are registered with epoll, and those that libcurl is interested in, by descriptor.
    private var registered: [UInt32] = []
    private var wanted: [UInt32] = []
    /// Whether the socket belongs to a connection, by descriptor.
    private var isConnection: [Bool] = []
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 64)

    init?(waking wake: Int32) {
        self.wake = wake
        self.epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard self.epoll >= 0 else { return nil }
        // With EPOLLET, each write is a separate event, so there is no need to read the eventfd.
        var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data_t(fd: wake))
        epoll_ctl(self.epoll, EPOLL_CTL_ADD, wake, &event)
    }

    deinit {
        if self.epoll >= 0 { close(self.epoll) }
        self.events.deallocate()
    }

    /// Adds the socket of a new connection, which stays in the set from when it is established until it is closed.
    ///
    /// libcurl closes a socket that is still connecting without notice. If the next socket has the same number and
    /// libcurl has the same interest in it, libcurl may not report that interest.
    func add(_ socket: Int32) {
        self.makeRoom(for: socket)
        let index = Int(socket)
        self.isConnection[index] = true
        self.registered[index] = 0
        if self.wanted[index] != 0 { self.register(self.wanted[index], of: socket) }
    }

    /// Sets the events (`CURL_POLL_…`) that libcurl is interested in.
    func want(_ poll: Int32, of socket: Int32) {
        let index = Int(socket)
        self.makeRoom(for: socket)
        let events: UInt32 =
            switch poll {
            case CURL_POLL_IN: EPOLLIN.rawValue
            case CURL_POLL_OUT: EPOLLOUT.rawValue
            case CURL_POLL_INOUT: EPOLLIN.rawValue | EPOLLOUT.rawValue
            default: 0
            }
        self.wanted[index] = events
        let isKept = self.isConnection[index] && self.registered[index] == EPOLLIN.rawValue
        if events != self.registered[index], events != 0 || !isKept {
            self.register(events, of: socket)
        }
    }

    /// Removes a socket that is about to be closed.
    func forget(_ socket: Int32) {
        let index = Int(socket)
        guard index < self.registered.count else { return }
        if self.registered[index] != 0 { self.register(0, of: socket) }
        self.wanted[index] = 0
        self.isConnection[index] = false
    }

    /// Waits for up to 64 events, and returns their number.
    func wait(milliseconds: Int32) -> Int {
        max(0, Int(epoll_wait(self.epoll, self.events.baseAddress, 64, milliseconds)))
    }

    /// Passes the first `count` events of the last wait (`CURL_CSELECT_…`) to `body`.
    func deliver(_ count: Int, to body: (Int32, Int32) -> Void) {
        for event in self.events[..<count] {
            let socket = event.data.fd
            if socket == self.wake { continue }
            guard self.wanted[Int(socket)] != 0 else {
                // The server closed an idle connection. libcurl checks the connection before reusing it.
                if self.registered[Int(socket)] != 0 { self.register(0, of: socket) }
                continue
            }
            var select: Int32 = 0
            if event.events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 { select |= CURL_CSELECT_IN }
            if event.events & EPOLLOUT.rawValue != 0 { select |= CURL_CSELECT_OUT }
            if event.events & EPOLLERR.rawValue != 0 { select |= CURL_CSELECT_ERR }
            body(socket, select)
        }
    }

    private func makeRoom(for socket: Int32) {
        let missing = Int(socket) + 1 - self.wanted.count
        guard missing > 0 else { return }
        self.wanted += Array(repeating: 0, count: missing)
        self.registered += Array(repeating: 0, count: missing)
        self.isConnection += Array(repeating: false, count: missing)
    }

    private func register(_ events: UInt32, of socket: Int32) {
        var event = epoll_event(events: events, data: epoll_data_t(fd: socket))
        let isKnown = self.registered[Int(socket)] != 0
        let action = events == 0 ? EPOLL_CTL_DEL : isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
        // A descriptor that was closed without notice is no longer in the set.
        if epoll_ctl(self.epoll, action, socket, &event) != 0, action == EPOLL_CTL_MOD {
            epoll_ctl(self.epoll, EPOLL_CTL_ADD, socket, &event)
        }
        self.registered[Int(socket)] = events
    }
}
#endif
