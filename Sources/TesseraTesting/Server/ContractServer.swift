// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import LoopbackHTTP
internal import TesseraSupport

/// A server on 127.0.0.1 that responds as a test specifies and records requests.
final class ContractServer: Sendable {
    typealias Respond = @Sendable (LoopbackRequest) async -> LoopbackResponse

    let server: LoopbackServer
    private let recorded: Recorded

    private final class Recorded: Sendable {
        let requests = Mutex<[LoopbackRequest]>([])
        let arrivals: AsyncStream<Void>
        let arrived: AsyncStream<Void>.Continuation

        init() { (self.arrivals, self.arrived) = AsyncStream.makeStream() }
    }

    /// Starts a server.
    init(limits: LoopbackLimits = LoopbackLimits(bodyBytes: 64 << 20), _ respond: @escaping Respond) throws {
        let recorded = Recorded()
        self.recorded = recorded
        self.server = try LoopbackServer.start(on: .ipv4, limits: limits) { request in
            recorded.requests.withLock { $0.append(request) }
            recorded.arrived.yield()
            return await respond(request)
        }
    }

    /// Starts a server that sends `bytes` and then closes the connection or leaves it open.
    convenience init(sending bytes: String..., then ending: LoopbackResponse.Ending = .close) throws {
        let chunks = bytes.map { Array($0.utf8) }
        try self.init { _ in .raw(chunks: chunks, then: ending) }
    }

    var authority: String { "\(self.server.host):\(self.server.port)" }
    var requests: [LoopbackRequest] { self.recorded.requests.withLock { $0 } }

    /// Waits until the next request has arrived.
    func waitForArrival() async {
        for await _ in self.recorded.arrivals { return }
    }

    /// Returns a request to this server.
    func request(_ path: String = "/", method: HTTPRequest.Method = .get, fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: self.authority, path: path, headerFields: fields)
    }

    /// Stops listening and waits until the port is free.
    func stop() async {
        self.server.stop()
        await self.server.stopped()
    }
}
