// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraOAuth
internal import TesseraTesting

/// The network of a run: notes every secret that passes, and goes wrong where it is told to.
final class CanaryTransport: HTTPTransport, CustomReflectable {
    private struct State {
        var fault: (path: String, fault: Fault, isOnce: Bool)?
        var honest: [String: (HTTPResponse, [UInt8])] = [:]
    }

    private static let knowing = ["/token", "/par", "/revoke", "/introspect", "/device", "/ciba"]

    private let base: ScriptedProvider
    private let canaries: Canaries
    private let state = Mutex(State())

    init(_ base: ScriptedProvider, _ canaries: Canaries) {
        (self.base, self.canaries) = (base, canaries)
    }

    /// The last honest answer of a path.
    func honest(_ path: String) -> (HTTPResponse, [UInt8])? { self.state.withLock { $0.honest[path] } }

    /// From now on a path goes wrong so; once, or until nil is told.
    func fail(_ path: String, _ fault: Fault?, isOnce: Bool = false) {
        self.state.withLock { $0.fault = fault.map { (path, $0, isOnce) } }
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let recorded = RecordedRequest(head: request, body: try await body?.collect(upTo: .max) ?? [])
        var words = self.canaries.take(recorded)
        // The provider knows the client's secret also where it was not sent.
        if Self.knowing.contains(recorded.path) { words.append(self.base.marker + "-client") }
        let fault = self.state.withLock { state -> Fault? in
            guard let fault = state.fault, fault.path == recorded.path else { return nil }
            if fault.isOnce { state.fault = nil }
            return fault.fault
        }
        if let fault {
            let answer = try await fault.answer(words, honest: self.honest(recorded.path), clock: self.base.clock)
            return (answer.head, answer.body)
        }
        let (response, answer) = try await self.base.send(request, body: HTTPBody(recorded.body))
        let bytes = try await answer.collect(upTo: .max)
        self.canaries.take(response, bytes)
        self.state.withLock { $0.honest[recorded.path] = (response, bytes) }
        return (response, HTTPBody(bytes))
    }

    /// A mirror without children: it knows what it should not show.
    var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
