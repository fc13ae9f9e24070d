// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// The other end of one connection, on a thread of its own: it takes and gives bytes as slowly as a test wants.
final class Peer<Result: Sendable>: Sendable {
    let port: Int
    private let served: Task<Result, Never>

    /// Listens at a free port of 127.0.0.1, and does `serve` with the first connection, which is closed then.
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

    /// What `serve` made of it, when it has ended.
    var result: Result {
        get async { await self.served.value }
    }
}

/// A connection whose calls block.
struct PeerConnection: Sendable {
    let descriptor: Int32
    /// How long the other side may do nothing before it counts as standing still.
    private static let stillness: Int32 = 700

    /// The head of a request, and what came with it of the body.
    func receiveHead() -> [UInt8] {
        var received: [UInt8] = []
        while !received.contains([13, 10, 13, 10]), let chunk = self.receive() { received += chunk }
        return received
    }

    /// Some bytes; nil at the end, or where nothing comes for ten seconds.
    func receive() -> [UInt8]? {
        guard self.isReady(POLLIN, within: 10_000) else { return nil }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(self.descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Whether the other side lets go of the connection; true as soon as it does.
    func isReleased() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while self.isReady(POLLIN, within: 10_000) {
            if recv(self.descriptor, &buffer, buffer.count, 0) <= 0 { return true }
        }
        return false
    }

    func send(_ text: String) { _ = self.send(upTo: text.utf8.count, of: Array(text.utf8)) }

    /// Sends so many bytes, or less where the other side takes no more; how many it took.
    func send(upTo count: Int) -> Int { self.send(upTo: count, of: [UInt8](repeating: 7, count: 1 << 16)) }

    private func send(upTo count: Int, of chunk: [UInt8]) -> Int {
        var sent = 0
        while sent < count, self.isReady(POLLOUT, within: Self.stillness) {
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
