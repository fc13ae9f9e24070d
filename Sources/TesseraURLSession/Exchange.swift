// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import TesseraOAuth

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A request and its response, which passes data from the session's delegate to the reader.
///
/// The task is suspended while the reader is more than ``highWater`` bytes behind. This does not work with
/// swift-corelibs-foundation, which restarts a transfer when its task is resumed.
final class Exchange: Sendable {
    #if canImport(FoundationNetworking)
    private static let highWater = Int.max
    #else
    private static let highWater = 1 << 20
    #endif
    private static let lowWater = 1 << 18

    let task: URLSessionTask
    private let host: String
    private let state = Mutex(State())

    private struct State {
        var head: Result<URLResponse, any Error>?
        var headWaiter: CheckedContinuation<URLResponse, any Error>?
        var chunks: [[UInt8]] = []
        var waitingBytes = 0
        var end: Result<Void, any Error>?
        var chunkWaiter: CheckedContinuation<[UInt8]?, any Error>?
        var isSuspended = false
        var isReading = false
    }

    init(_ task: URLSessionTask, host: String) {
        self.task = task
        self.host = host
    }

    /// Sends the request and waits for the response head.
    func head() async throws -> URLResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = self.state.withLock { state in
                    if state.head == nil { state.headWaiter = continuation }
                    return state.head
                }
                if let known { return continuation.resume(with: known) }
                self.task.resume()
            }
        } onCancel: {
            self.cancel()
        }
    }

    /// Returns the next chunk of the body, or nil at its end.
    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = self.state.withLock { state in
                    let known = Self.take(from: &state)
                    if known == nil { state.chunkWaiter = continuation }
                    if state.isSuspended, state.waitingBytes < Self.lowWater {
                        state.isSuspended = false
                        self.task.resume()
                    }
                    return known
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            self.cancel()
        }
    }

    /// Claims the right to read the body, or returns false if it has already been claimed.
    func startReading() -> Bool {
        self.state.withLock { state in
            defer { state.isReading = true }
            return !state.isReading
        }
    }

    /// Ends the exchange with a `CancellationError` unless it has already ended.
    func cancel() {
        self.finish(.failure(CancellationError()))
        self.task.cancel()
    }

    func received(_ response: URLResponse) {
        // swift-corelibs-foundation also delivers informational responses.
        if let status = (response as? HTTPURLResponse)?.statusCode, 100...199 ~= status { return }
        let waiter = self.state.withLock { state in
            if state.head == nil { state.head = .success(response) }
            return state.headWaiter.take()
        }
        waiter?.resume(returning: response)
    }

    func received(_ chunk: [UInt8]) {
        guard !chunk.isEmpty else { return }
        let waiter = self.state.withLock { state in
            if let waiter = state.chunkWaiter.take() { return Optional(waiter) }
            state.chunks.append(chunk)
            state.waitingBytes += chunk.count
            if state.waitingBytes > Self.highWater, !state.isSuspended {
                state.isSuspended = true
                self.task.suspend()
            }
            return nil
        }
        waiter?.resume(returning: chunk)
    }

    func ended(_ error: (any Error)?) {
        if let error {
            self.finish(.failure(TransportError.mapping(error, host: self.host)))
        } else {
            self.finish(.success(()))
        }
    }

    private func finish(_ end: Result<Void, any Error>) {
        let (headWaiter, chunkWaiter, head, end) = self.state.withLock { state in
            if state.end == nil { state.end = end }
            let settled = state.end ?? end
            if state.head == nil {
                state.head = .failure(settled.failure ?? TransportError(.connectionLost, host: self.host))
            }
            return (state.headWaiter.take(), state.chunkWaiter.take(), state.head, settled)
        }
        if let headWaiter, let head { headWaiter.resume(with: head) }
        chunkWaiter?.resume(with: end.map { nil })
    }

    private static func take(from state: inout State) -> Result<[UInt8]?, any Error>? {
        if case .failure(let error as CancellationError) = state.end { return .failure(error) }
        guard let first = state.chunks.first else { return state.end.map { $0.map { nil } } }
        state.chunks.removeFirst()
        state.waitingBytes -= first.count
        return .success(first)
    }
}

extension Result where Success == Void, Failure == any Error {
    fileprivate var failure: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}

/// The session's delegate, which rejects redirects and passes received data to the corresponding exchange.
final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let running = Mutex<[Int: Exchange]>([:])

    func add(_ exchange: Exchange) {
        self.running.withLock { $0[exchange.task.taskIdentifier] = exchange }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        self.exchange(of: dataTask)?.received(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self.exchange(of: dataTask)?.received([UInt8](data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        self.running.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.ended(error)
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        self.running.withLock { $0[task.taskIdentifier] }
    }
}
