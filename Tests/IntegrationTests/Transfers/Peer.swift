// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// The other end of one connection, which runs on its own thread and receives and sends as slowly as a test needs.
final class Peer<Result: Sendable>: Sendable {
    let port: Int
    private let served: Task<Result, Never>

    /// Listens on a free port of 127.0.0.1, runs `serve` with the first connection, and closes it.
    init(_ serve: @escaping @Sendable (PeerConnection) -> Result) throws {
        let listener = try ListeningSocket()
        self.port = listener.port
        self.served = Task {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    let connection = PeerConnection(descriptor: accept(listener.descriptor, nil, nil))
                    close(listener.descriptor)
                    let result = serve(connection)
                    close(connection.descriptor)
                    continuation.resume(returning: result)
                }
            }
        }
    }

    var url: String { "http://127.0.0.1:\(self.port)/" }

    /// The result of `serve`.
    var result: Result {
        get async { await self.served.value }
    }
}

/// A connection whose calls block.
struct PeerConnection: Sendable {
    let descriptor: Int32
    /// The time without progress after which the other side is considered stalled, in milliseconds.
    private static let stallTimeout: Int32 = 700

    /// Receives the head of a request, and the part of the body that arrives with it.
    func receiveHead() -> [UInt8] {
        var received: [UInt8] = []
        while !received.contains([13, 10, 13, 10]), let chunk = self.receive() { received += chunk }
        return received
    }

    /// Receives some bytes, or nil at the end or after 10 seconds without data.
    func receive() -> [UInt8]? {
        guard self.isReady(POLLIN, within: 10_000) else { return nil }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(self.descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Waits until the other side closes the connection and returns false if it does not within 10 seconds.
    func isReleased() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while self.isReady(POLLIN, within: 10_000) {
            if recv(self.descriptor, &buffer, buffer.count, 0) <= 0 { return true }
        }
        return false
    }

    func send(_ text: String) { _ = self.send(upTo: text.utf8.count, of: Array(text.utf8)) }

    /// Sends `count` bytes, or fewer if the other side stalls, and returns the number of bytes sent.
    func send(upTo count: Int) -> Int { self.send(upTo: count, of: [UInt8](repeating: 7, count: 1 << 16)) }

    private func send(upTo count: Int, of chunk: [UInt8]) -> Int {
        var sent = 0
        while sent < count, self.isReady(POLLOUT, within: Self.stallTimeout) {
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            let step = Foundation.send(self.descriptor, chunk, min(chunk.count, count - sent), flags)
            guard step > 0 else { break }
            sent += step
        }
        return sent
    }

    private func isReady(_ events: Int32, within milliseconds: Int32) -> Bool {
        var polled = pollfd(fd: self.descriptor, events: Int16(events), revents: 0)
        return poll(&polled, 1, milliseconds) > 0
    }
}
