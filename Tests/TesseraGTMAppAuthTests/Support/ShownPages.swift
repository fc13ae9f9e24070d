// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import TesseraGTMAppAuth

/// A user agent that passes its pages to the test.
final class ShownPages: OIDExternalUserAgent {
    private let pages = AsyncStream.makeStream(of: String.self)
    private let gone = Mutex(0)
    private let shows: Bool

    init(shows: Bool = true) { self.shows = shows }

    var dismissals: Int { self.gone.withLock { $0 } }

    func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool {
        guard self.shows, let url = request.externalUserAgentRequestURL() else { return false }
        self.pages.continuation.yield(url.absoluteString)
        return true
    }

    /// Does not call the completion handler, since the flow must report its result anyway.
    func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void) { self.gone.withLock { $0 += 1 } }

    func next() async -> String? { await self.pages.stream.first { _ in true } }
}

/// The results that completion handlers received, in order.
final class Results<Value: Sendable>: Sendable {
    private let responses = AsyncStream.makeStream(of: Result<Value, any Error>.self)

    func take(_ value: Value?, _ error: (any Error)?) {
        let failure = error ?? CocoaError(.coderValueNotFound)
        self.responses.continuation.yield(value.map { .success($0) } ?? .failure(failure))
    }

    func next() async throws -> Value {
        guard let response = await self.responses.stream.first(where: { _ in true }) else { throw CancellationError() }
        return try response.get()
    }
}
