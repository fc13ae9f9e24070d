// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import TesseraTesting

/// A network that cannot be relied on: passes connections on to a server of this machine, and drops them, delays them,
/// cuts them off in either direction, or answers 503 itself, as random numbers will have it.
///
/// Each connection has threads of its own.
final class ChaosProxy: Sendable {
    let port: Int
    private let listener: Int32
    private let random: SeededRandomBytes
    private struct State {
        var target: UInt16 = 0
        var isRaging = false
        var span: Int64 = 1 << 20
        var mischief = 0
        var clients: Set<Int32> = []
    }
    private let state = Mutex(State())

    /// What happens to a connection: after so many bytes in one direction it ends.
    private struct Fate {
        var afterSent = Int64.max
        var afterReceived = Int64.max
        var isRefused = false
        /// In microseconds, before each step.
        var delay: UInt32 = 0
    }

    /// Listens at a free port of 127.0.0.1.
    init(seed: UInt64) throws {
        self.random = SeededRandomBytes(seed: seed)
        let socket = try ListeningSocket()
        let listener = socket.descriptor
        self.listener = listener
        self.port = socket.port
        Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                let (target, fate) = self.nextFate()
                self.state.withLock { _ = $0.clients.insert(client) }
                Thread.detachNewThread {
                    Self.serve(client, target, fate)
                    // Not closed before nobody here knows it any more.
                    self.state.withLock { _ = $0.clients.remove(client) }
                    close(client)
                }
            }
        }
    }

    /// Passes on what comes from now on, well behaved.
    func lead(to port: Int) { self.state.withLock { $0.target = UInt16(port) } }

    /// Misbehaves from now on, or no longer; connections last for about so many bytes, and those that are open end.
    func rage(_ isRaging: Bool = true, span: Int64) {
        self.state.withLock { state in
            (state.isRaging, state.span) = (isRaging, span)
            for client in state.clients { shutdown(client, Int32(SHUT_RDWR)) }
        }
    }

    /// How many connections there were in the meantime.
    var mischief: Int { self.state.withLock { $0.mischief } }

    /// Listens no more.
    func stop() {
        shutdown(self.listener, Int32(SHUT_RDWR))
        close(self.listener)
    }

    private func nextFate() -> (UInt16, Fate) {
        let bytes = self.random.next(17)
        let number = { (range: Range<Int>) in bytes[range].reduce(Int64(0)) { $0 << 8 | Int64($1) } }
        return self.state.withLock { state in
            var fate = Fate()
            guard state.isRaging else { return (state.target, fate) }
            state.mischief += 1
            fate.afterSent = number(0..<7) % (2 * state.span)
            fate.afterReceived = number(7..<14) % (2 * state.span)
            fate.isRefused = bytes[16] < 40
            fate.delay = bytes[16] > 215 ? 2_000 : 0
            return (state.target, fate)
        }
    }

    private static func serve(_ client: Int32, _ target: UInt16, _ fate: Fate) {
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        _ = fcntl(server, F_SETFD, FD_CLOEXEC)
        var address = ListeningSocket.address(target)
        let isConnected = withUnsafeBytes(of: &address) { bytes -> Bool in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return connect(server, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
        if fate.isRefused {
            // It has to be read first: otherwise the answer is lost with the connection.
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            _ = read(client, &buffer, buffer.count)
            let answer = Array(
                "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8
            )
            _ = Foundation.send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
        } else if isConnected {
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                Self.pump(from: server, to: client, fate.afterReceived, fate.delay)
                done.signal()
            }
            Self.pump(from: client, to: server, fate.afterSent, fate.delay)
            done.wait()
        }
        close(server)
    }

    /// Carries bytes until the end, or until there were so many; then neither side hears the other any more.
    private static func pump(from source: Int32, to sink: Int32, _ limit: Int64, _ delay: UInt32) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var left = limit
        while left > 0 {
            let count = read(source, &buffer, min(buffer.count, Int(clamping: left)))
            if count <= 0 { break }
            if delay > 0 { usleep(delay) }
            var done = 0
            while done < count {
                let step = buffer.withUnsafeBytes { bytes in
                    Foundation.send(sink, bytes.baseAddress?.advanced(by: done), count - done, Int32(MSG_NOSIGNAL))
                }
                if step <= 0 { break }
                done += step
            }
            if done < count { break }
            left -= Int64(count)
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(sink, Int32(SHUT_RDWR))
    }
}
