// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import TesseraOAuth
internal import TesseraSupport

/// A request and its response, shared by the loop's thread and the task that is waiting for the response.
final class CurlTransfer: Sendable {
    private let queue: CurlLoop.CommandQueue
    /// The loop, which is retained so that its thread does not end before the body has been read.
    private let loop: CurlLoop
    private let host: String
    private let state = Mutex(State())

    private struct State {
        var body: [UInt8] = []
        /// Whether libcurl is paused until the reader takes the body.
        var isPaused = false
        var result: Result<Void, any Error>?
        var headWaiter: UnsafeContinuation<[UInt8], any Error>?
        var bodyWaiter: UnsafeContinuation<[UInt8]?, any Error>?
        var pump: Task<Void, Never>?

        /// Returns the available part of the body, whether libcurl is paused and, if no part is left, the transfer's
        /// result.
        mutating func take() -> (part: [UInt8]?, isPaused: Bool, result: Result<Void, any Error>?) {
            defer { self.isPaused = false }
            if self.body.isEmpty { return (nil, self.isPaused, self.result) }
            var part: [UInt8] = []
            swap(&part, &self.body)
            return (part, self.isPaused, nil)
        }
    }

    init(_ loop: CurlLoop, host: String) {
        (self.loop, self.queue, self.host) = (loop, loop.queue, host)
    }

    var hasEnded: Bool { self.state.withLock { $0.result != nil } }

    // MARK: The task's side

    /// Sends the request and returns the unparsed response head.
    func head(of message: CurlMessage) async throws -> [UInt8] {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let isCancelled = self.state.withLock { state in
                    if state.result != nil { return true }
                    state.headWaiter = continuation
                    return false
                }
                if isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else if !self.queue.submit(.start(self, message)) {
                    self.end(.failure(TransportError(.connectionLost, host: self.host)))
                }
            }
        } onCancel: {
            self.cancel()
        }
    }

    /// Retains the task that reads the request's body.
    ///
    /// The task is canceled when the transfer ends.
    func attach(_ pump: Task<Void, Never>) {
        let hasEnded = self.state.withLock { state in
            state.pump = pump
            return state.result != nil
        }
        if hasEnded { pump.cancel() }
    }

    /// Returns the next part of the body, or nil at its end.
    func next() async throws -> [UInt8]? {
        try Task.checkCancellation()
        let (part, isPaused, result) = self.state.withLock { $0.take() }
        if isPaused { self.queue.submit(.receive(self)) }
        if let part { return part }
        if let result {
            try result.get()
            return nil
        }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let (part, isPaused, result) = self.state.withLock { state in
                    let taken = state.take()
                    if taken.part == nil, taken.result == nil { state.bodyWaiter = continuation }
                    return taken
                }
                if isPaused { self.queue.submit(.receive(self)) }
                if let part {
                    continuation.resume(returning: part)
                } else if let result {
                    continuation.resume(with: result.map { nil })
                }
            }
        } onCancel: {
            self.cancel()
        }
    }

    /// Ends the transfer.
    ///
    /// The waiting task receives a `CancellationError`.
    func cancel() {
        if self.end(.failure(CancellationError())) { self.queue.submit(.cancel(self)) }
    }

    // MARK: The loop's side

    /// Receives the data from one iteration of the loop and returns whether the reader has taken all of it.
    func receive(head: [UInt8]?, body: [UInt8], isPaused: Bool, result: Result<Void, any Error>?) -> Bool {
        var waiting: (head: UnsafeContinuation<[UInt8], any Error>?, body: UnsafeContinuation<[UInt8]?, any Error>?)
        let (part, ending, pump, isTaken) = self.state.withLock { state in
            waiting.head = head == nil && result == nil ? nil : state.headWaiter
            if waiting.head != nil { state.headWaiter = nil }
            if state.result == nil { state.result = result }
            if state.body.isEmpty { state.body = body } else { state.body += body }
            let hasPart = !state.body.isEmpty
            waiting.body = hasPart || state.result != nil ? state.bodyWaiter : nil
            if waiting.body != nil { state.bodyWaiter = nil }
            var part: [UInt8]?
            if waiting.body != nil, hasPart { part = state.take().part }
            state.isPaused = isPaused && !state.body.isEmpty
            return (part, state.result, state.result == nil ? nil : state.pump, state.body.isEmpty)
        }
        pump?.cancel()
        if let waiter = waiting.head {
            if let head {
                waiter.resume(returning: head)
            } else if let ending {
                waiter.resume(with: ending.map { [] })
            }
        }
        if let waiter = waiting.body {
            if let part {
                waiter.resume(returning: part)
            } else if let ending {
                waiter.resume(with: ending.map { nil })
            }
        }
        return isTaken
    }

    /// Ends the transfer unless it has already ended.
    ///
    /// Returns whether this call ended it.
    @discardableResult
    func end(_ result: Result<Void, any Error>) -> Bool {
        let (isFirst, head, body, pump) = self.state.withLock { state in
            defer { (state.headWaiter, state.bodyWaiter, state.pump) = (nil, nil, nil) }
            let isFirst = state.result == nil
            if isFirst { state.result = result }
            return (isFirst, state.headWaiter, state.bodyWaiter, state.pump)
        }
        pump?.cancel()
        head?.resume(with: result.map { [] })
        body?.resume(with: result.map { nil })
        return isFirst
    }
}

/// A response body that can be read once.
///
/// Releasing the body ends the transfer.
final class CurlResponseBody: HTTPBodySource {
    private let transfer: CurlTransfer
    private let host: String
    private let isRead = Mutex(false)

    init(_ transfer: CurlTransfer, host: String) { (self.transfer, self.host) = (transfer, host) }

    deinit { if !self.transfer.hasEnded { self.transfer.cancel() } }

    func start() -> HTTPBody.Next {
        guard self.isRead.setOnce() else { return { throw TransportError(.bodyAlreadyRead, host: self.host) } }
        return { try await self.transfer.next() }
    }

    func collect(upTo limit: Int) async throws -> [UInt8] {
        guard self.isRead.setOnce() else { throw TransportError(.bodyAlreadyRead, host: self.host) }
        guard var collected = try await self.transfer.next() else { return [] }
        while collected.count <= limit, let part = try await self.transfer.next() { collected += part }
        guard collected.count <= limit else {
            self.transfer.cancel()
            throw TransportError(.bodyTooLarge)
        }
        return collected
    }
}
#endif
