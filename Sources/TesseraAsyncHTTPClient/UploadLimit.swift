// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient && !canImport(UIKit)
internal import TesseraOAuth
internal import TesseraSupport

/// A limit for the time during which an upload waits for the server.
///
/// async-http-client's timeout for writing applies while an upload waits for its source, but not while it waits for the
/// server to read.
final class UploadLimit: Sendable {
    private let idle: Duration
    private let host: String
    private let state = Mutex(State())

    private struct State {
        /// The time since which the upload has been waiting for the server, or nil while it is waiting for its source.
        var start: ContinuousClock.Instant?
        var hasEnded = false
    }

    init(_ idle: Duration, host: String) {
        self.idle = min(max(idle, .milliseconds(1)), .seconds(Int64(Int32.max)))
        self.host = host
    }

    /// Records that the upload is waiting for the server from now on.
    func waitForServer() { self.state.withLock { $0.start = .now } }

    /// Records that the upload is waiting for its source from now on.
    func waitForSource() { self.state.withLock { $0.start = nil } }

    /// Records that the whole request has been sent, so that async-http-client's timeout for reading applies.
    func end() { self.state.withLock { $0.hasEnded = true } }

    /// Whether the whole request has been sent.
    var hasEnded: Bool { self.state.withLock { $0.hasEnded } }

    /// Performs a request, and cancels it if the limit is exceeded.
    ///
    /// - Throws: `TransportError` with `timedOut` if the limit is exceeded, or the error of the request.
    func apply<Value: Sendable>(to request: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await request() }
            group.addTask { try await self.expire() }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }

    private func expire<Value>() async throws -> Value {
        while true {
            let start = self.state.withLock { $0.start }
            let end = (start ?? .now) + self.idle
            if start != nil, end <= .now { throw TransportError(.timedOut, host: self.host) }
            try await Task.sleep(until: end, clock: .continuous)
        }
    }
}
#endif
