// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import TesseraOAuth
internal import TesseraSupport

/// A request and its response, shared by the loop's thread and the task that is waiting for the response.
final class CurlTransfer: Sendable {
    /// The loop, which is retained so that its thread does not end before the body has been read.
    private let loop: CurlLoop
    let message: CurlMessage
    private let state = Mutex(State())

    private struct State {
        var body: [UInt8] = []
        /// Whether libcurl is paused until the reader takes the body.
        var isPaused = false
        var result: Result<Void, any Error>?
        var headWaiter: UnsafeContinuation<[UInt8], any Error>?
        var bodyWaiter: UnsafeContinuation<[UInt8]?, any Error>?
        var pump: Task<Void, Never>?

        /// Returns what the reader receives next, or nil if it must wait, and whether libcurl was paused.
        mutating func take() -> (next: Result<[UInt8]?, any Error>?, wasPaused: Bool) {
            defer { self.isPaused = false }
            if self.body.isEmpty { return (self.result?.map { nil }, self.isPaused) }
            var part: [UInt8] = []
            swap(&part, &self.body)
            return (.success(part), self.isPaused)
        }
    }

    init(_ message: CurlMessage, _ loop: CurlLoop) { (self.message, self.loop) = (message, loop) }

    private var queue: CurlLoop.CommandQueue { self.loop.queue }
    var hasEnded: Bool { self.state.withLock { $0.result != nil } }

    // MARK: The task's side

    /// Sends the request and returns the unparsed response head.
    func head() async throws -> [UInt8] {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let isCancelled = self.state.withLock { state in
                    if state.result != nil { return true }
                    state.headWaiter = continuation
                    return false
                }
                if isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else if !self.queue.submit(.start(self)) {
                    self.end(.failure(TransportError(.connectionLost, host: self.message.host)))
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
        let (next, wasPaused) = self.state.withLock { $0.take() }
        if wasPaused { self.queue.submit(.receive(self)) }
        if let next { return try next.get() }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let (next, wasPaused) = self.state.withLock { state in
                    let taken = state.take()
                    if taken.next == nil { state.bodyWaiter = continuation }
                    return taken
                }
                if wasPaused { self.queue.submit(.receive(self)) }
                if let next { continuation.resume(with: next) }
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

    /// A waiting task and what it continues with.
    enum Continuation {
        case head(UnsafeContinuation<[UInt8], any Error>, Result<[UInt8], any Error>)
        case body(UnsafeContinuation<[UInt8]?, any Error>, Result<[UInt8]?, any Error>)

        func resume() {
            switch self {
            case .head(let waiter, let result): waiter.resume(with: result)
            case .body(let waiter, let result): waiter.resume(with: result)
            }
        }
    }

    /// Receives the data from one iteration of the loop.
    ///
    /// - Returns: The waiting task, if it can continue, and whether the reader has taken all of the data.
    func receive(
        head: [UInt8]?,
        body: [UInt8],
        isPaused: Bool,
        result: Result<Void, any Error>?
    ) -> (Continuation?, isTaken: Bool) {
        let (continuation, pump, isTaken) = self.state.withLock { state in
            if state.result == nil { state.result = result }
            if state.body.isEmpty { state.body = body } else { state.body += body }
            var continuation: Continuation?
            if let waiter = state.headWaiter, let head = head.map(Result.success) ?? state.result?.map({ [] }) {
                continuation = .head(waiter, head)
                state.headWaiter = nil
            } else if let waiter = state.bodyWaiter, let next = state.take().next {
                continuation = .body(waiter, next)
                state.bodyWaiter = nil
            }
            state.isPaused = isPaused && !state.body.isEmpty
            return (continuation, state.result == nil ? nil : state.pump, state.body.isEmpty)
        }
        pump?.cancel()
        return (continuation, isTaken)
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
    private let isRead = Mutex(false)

    init(_ transfer: CurlTransfer) { self.transfer = transfer }

    deinit { if !self.transfer.hasEnded { self.transfer.cancel() } }

    func start() -> HTTPBody.Next {
        let transfer = self.transfer
        guard self.isRead.setOnce() else {
            return { throw TransportError(.bodyAlreadyRead, host: transfer.message.host) }
        }
        return { try await self.transfer.next() }
    }

    func collect(upTo limit: Int) async throws -> [UInt8] {
        guard self.isRead.setOnce() else { throw TransportError(.bodyAlreadyRead, host: self.transfer.message.host) }
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
