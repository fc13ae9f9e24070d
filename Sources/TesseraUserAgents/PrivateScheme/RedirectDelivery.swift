// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import Tessera
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// One redirect on its way to one socket; blocks.
struct RedirectDelivery {
    private let redirect: String
    private let path: String
    private let deadline: ContinuousClock.Instant

    init(of redirect: String, to path: String) {
        self.redirect = redirect
        self.path = path
        self.deadline = .now + .seconds(5)
    }

    /// Whether the program there took it.
    ///
    /// A dead program's socket is removed.
    func run() -> Bool {
        let socket = tessera_local_connect(self.path)
        guard socket >= 0 else {
            if errno == ECONNREFUSED { try? FileSystem.remove(self.path) }
            return false
        }
        defer { close(socket) }
        var user = uid_t()
        guard tessera_peer_user(socket, &user) == 0, user == geteuid() else { return false }
        let body = Array(self.redirect.utf8)
        let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n"
        self.send(Array(head.utf8) + body, to: socket)
        return self.answer(from: socket).starts(with: "HTTP/1.1 200 ".utf8)
    }

    /// What cannot be sent was refused: the answer tells.
    private func send(_ bytes: [UInt8], to socket: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { tessera_send(socket, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                guard errno == EAGAIN || errno == EWOULDBLOCK, self.waits(for: POLLOUT, on: socket) else { return }
            }
        }
    }

    /// The first line of what comes back.
    private func answer(from socket: Int32) -> [UInt8] {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1_024)
        while !answer.contains(UInt8(ascii: "\n")), answer.count < 4_096 {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count > 0 {
                answer += buffer[..<count]
            } else if count == 0 {
                break
            } else if errno != EINTR {
                guard errno == EAGAIN || errno == EWOULDBLOCK, self.waits(for: POLLIN, on: socket) else { break }
            }
        }
        return answer
    }

    /// Waits until something can be done, or the deadline has passed; whether to try.
    private func waits(for event: some BinaryInteger, on socket: Int32) -> Bool {
        let left = ContinuousClock.now.duration(to: self.deadline)
        guard left > .zero else { return false }
        var polled = pollfd(fd: socket, events: Int16(event), revents: 0)
        let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
        return poll(&polled, 1, Int32(clamping: milliseconds + 1)) != 0
    }
}
