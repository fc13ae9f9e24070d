// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import TesseraTesting

/// An unreliable network, which forwards connections to a local server and randomly drops, delays or truncates them, or
/// responds with 503.
///
/// Each connection has its own threads.
final class ChaosProxy: Sendable {
    let port: Int
    private let listener: Int32
    private let random: SeededRandomBytes
    private struct State {
        var target: UInt16 = 0
        var isDisrupting = false
        var span: Int64 = 1 << 20
        var disruptions = 0
        var clients: Set<Int32> = []
    }
    private let state = Mutex(State())

    /// The disruption of a connection, which ends after a number of bytes in either direction.
    private struct Disruption {
        var afterSent = Int64.max
        var afterReceived = Int64.max
        var isRefused = false
        /// The delay before each write, in microseconds.
        var delay: UInt32 = 0
    }

    /// Listens on a free port of 127.0.0.1.
    init(seed: UInt64) throws {
        self.random = SeededRandomBytes(seed: seed)
        let socket = try ListeningSocket()
        let listener = socket.descriptor
        self.listener = listener
        self.port = socket.port
        Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                let (target, disruption) = self.nextDisruption()
                self.state.withLock { _ = $0.clients.insert(client) }
                Thread.detachNewThread {
                    Self.serve(client, target, disruption)
                    // Closed only after its removal, because the system reuses the number of a closed descriptor.
                    self.state.withLock { _ = $0.clients.remove(client) }
                    close(client)
                }
            }
        }
    }

    /// Sets the port to which new connections are forwarded.
    func forward(to port: Int) { self.state.withLock { $0.target = UInt16(port) } }

    /// Starts or stops disrupting new connections after about `span` bytes and ends the open connections.
    func disrupt(_ isDisrupting: Bool = true, span: Int64) {
        self.state.withLock { state in
            (state.isDisrupting, state.span) = (isDisrupting, span)
            for client in state.clients { shutdown(client, Int32(SHUT_RDWR)) }
        }
    }

    /// The number of connections that were subject to disruption.
    var disruptions: Int { self.state.withLock { $0.disruptions } }

    /// Stops listening.
    func stop() {
        shutdown(self.listener, Int32(SHUT_RDWR))
        close(self.listener)
    }

    private func nextDisruption() -> (UInt16, Disruption) {
        let bytes = self.random.next(17)
        let number = { (range: Range<Int>) in bytes[range].reduce(Int64(0)) { $0 << 8 | Int64($1) } }
        return self.state.withLock { state in
            var disruption = Disruption()
            guard state.isDisrupting else { return (state.target, disruption) }
            state.disruptions += 1
            disruption.afterSent = number(0..<7) % (2 * state.span)
            disruption.afterReceived = number(7..<14) % (2 * state.span)
            disruption.isRefused = bytes[16] < 40
            disruption.delay = bytes[16] > 215 ? 2_000 : 0
            return (state.target, disruption)
        }
    }

    private static func serve(_ client: Int32, _ target: UInt16, _ disruption: Disruption) {
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        _ = fcntl(server, F_SETFD, FD_CLOEXEC)
        var address = ListeningSocket.address(target)
        let isConnected = withUnsafeBytes(of: &address) { bytes -> Bool in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return connect(server, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
        if disruption.isRefused {
            // The request has to be read first. Otherwise the response would be lost when the connection closes.
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            _ = read(client, &buffer, buffer.count)
            let response = Array(
                "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8
            )
            _ = Foundation.send(client, response, response.count, Int32(MSG_NOSIGNAL))
        } else if isConnected {
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                Self.pump(from: server, to: client, disruption.afterReceived, disruption.delay)
                done.signal()
            }
            Self.pump(from: client, to: server, disruption.afterSent, disruption.delay)
            done.wait()
        }
        close(server)
    }

    /// Forwards bytes until the end or up to `limit`, and then shuts down both sockets.
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
