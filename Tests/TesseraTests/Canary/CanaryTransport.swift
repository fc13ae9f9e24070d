// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraOAuth
internal import TesseraTesting

/// The network of a run.
///
/// It records every secret in a message and injects faults.
final class CanaryTransport: HTTPTransport, CustomReflectable {
    private struct State {
        var fault: (path: String, fault: Fault, isOnce: Bool)?
        var genuine: [String: (HTTPResponse, [UInt8])] = [:]
    }

    private static let authenticatedPaths = ["/token", "/par", "/revoke", "/introspect", "/device", "/ciba"]

    private let base: ScriptedProvider
    private let canaries: Canaries
    private let state = Mutex(State())

    init(_ base: ScriptedProvider, _ canaries: Canaries) {
        (self.base, self.canaries) = (base, canaries)
    }

    /// Returns the last response of an endpoint that was not a fault.
    func genuine(_ path: String) -> (HTTPResponse, [UInt8])? { self.state.withLock { $0.genuine[path] } }

    /// Makes requests for `path` fail, once or until the fault is nil.
    func fail(_ path: String, _ fault: Fault?, isOnce: Bool = false) {
        self.state.withLock { $0.fault = fault.map { (path, $0, isOnce) } }
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let recorded = RecordedRequest(head: request, body: try await body?.collect(upTo: .max) ?? [])
        var secrets = self.canaries.record(recorded)
        // The provider also knows the client secret if the request does not contain it.
        if Self.authenticatedPaths.contains(recorded.path) { secrets.append(self.base.marker + "-client") }
        let fault = self.state.withLock { state -> Fault? in
            guard let fault = state.fault, fault.path == recorded.path else { return nil }
            if fault.isOnce { state.fault = nil }
            return fault.fault
        }
        if let fault {
            let failure = try await fault.response(
                secrets,
                genuine: self.genuine(recorded.path),
                clock: self.base.clock
            )
            return (failure.head, failure.body)
        }
        let (response, responseBody) = try await self.base.send(request, body: HTTPBody(recorded.body))
        let bytes = try await responseBody.collect(upTo: .max)
        self.canaries.record(response, bytes)
        self.state.withLock { $0.genuine[recorded.path] = (response, bytes) }
        return (response, HTTPBody(bytes))
    }

    /// A mirror without children, because the transport holds secrets.
    var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
