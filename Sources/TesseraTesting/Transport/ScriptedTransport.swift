// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraSupport
public import TesseraOAuth

/// A network that answers from a script and remembers every request: no socket, no time.
///
/// ```swift
/// let transport = ScriptedTransport([.json(#"{"access_token": "a", "token_type": "Bearer"}"#), .status(.noContent)])
/// ```
public final class ScriptedTransport: HTTPTransport {
    /// Makes an answer, or throws what the network should throw.
    public typealias Script = @Sendable (_ request: RecordedRequest) async throws -> ScriptedAnswer

    private let script: Script
    private let recorded = Mutex<[RecordedRequest]>([])

    /// A network that asks `script` for each answer.
    public init(_ script: @escaping Script) { self.script = script }

    /// A network that gives these answers, one after the other, then none: `TransportError` `cannotConnect`.
    public convenience init(_ answers: [ScriptedAnswer]) {
        let rest = Mutex(answers[...])
        self.init { _ in
            guard let answer = rest.withLock({ $0.popFirst() }) else { throw TransportError(.cannotConnect) }
            return answer
        }
    }

    /// Every request so far, in the order of their arrival.
    public var requests: [RecordedRequest] { self.recorded.withLock { $0 } }

    /// Records the request and gives the script's answer.
    ///
    /// - Throws: what the script throws, and `CancellationError`.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try Task.checkCancellation()
        let bytes = try await body?.collect(upTo: .max) ?? []
        let recorded = RecordedRequest(head: request, body: bytes)
        self.recorded.withLock { $0.append(recorded) }
        let answer = try await self.script(recorded)
        try Task.checkCancellation()
        return (answer.head, answer.body)
    }
}
