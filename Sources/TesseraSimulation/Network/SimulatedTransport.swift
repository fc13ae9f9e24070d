// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraSupport

/// The network as one process sees it.
///
/// A request takes time to arrive and a response to return. Both can be lost, the connection can fail, and a response
/// can end before its body is complete. The seed and the current faults decide.
struct SimulatedTransport: HTTPTransport {
    let process: SimulatedProcess

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try Task.checkCancellation()
        let (simulation, id) = (self.process.simulation, self.process.id)
        let bytes = try await body?.collect(upTo: .max) ?? []
        guard self.process.mayOperate() else { throw TransportError(.cannotConnect) }
        let message = SimulatedRequest(head: request, body: bytes)
        let fate = simulation.network.fate(of: message, isCutOff: self.process.machine.isCutOff)
        if fate.isUnreachable {
            simulation.record(.unreachable, by: .process(id))
            throw TransportError(.cannotConnect, host: request.authority)
        }
        let number = simulation.network.nextRequest()
        simulation.record(.sent(message.summary, request: number), by: .process(id))
        var isDelivered = false
        defer { if !isDelivered { simulation.record(.abandoned(request: number), by: .process(id)) } }
        let scheduler = simulation.scheduler
        // A request that was sent arrives even if its process is paused.
        try await scheduler.sleep(until: scheduler.time + fate.requestDelay, for: id, firesWhilePaused: true)
        if fate.losesRequest { throw try await self.silence(after: fate.responseDelay, .requestLost(request: number)) }
        if fate.truncatesRequest, !bytes.isEmpty {
            simulation.provider.receiveHalf(of: message)
            throw try await self.silence(after: fate.responseDelay, .requestLost(request: number))
        }
        let response = simulation.provider.respond(to: message, request: number)
        try await scheduler.sleep(until: scheduler.time + fate.responseDelay, for: id)
        if fate.losesResponse { throw try await self.silence(after: 0, .responseLost(request: number)) }
        guard self.process.mayOperate() else { throw TransportError(.connectionLost) }
        if fate.truncatesResponse, !response.body.isEmpty {
            simulation.record(.responseLost(request: number), by: .network)
            let half = Array(response.body.prefix(response.body.count / 2))
            return (response.head, Self.incomplete(half))
        }
        isDelivered = true
        simulation.record(.delivered(response.summary, request: number), by: .process(id))
        return (response.head, response.isStreamed ? Self.streamed(response.body) : HTTPBody(response.body))
    }

    /// Returns the error for an exchange without a response, which a process notices later or never.
    private func silence(after delay: Int64, _ event: SimulationEvent.Action) async throws -> TransportError {
        let scheduler = self.process.simulation.scheduler
        self.process.simulation.record(event, by: .network)
        try await scheduler.sleep(until: scheduler.time + delay, for: self.process.id)
        return TransportError(.connectionLost)
    }

    /// Returns a body of unknown length that has the given bytes.
    private static func streamed(_ bytes: [UInt8]) -> HTTPBody {
        HTTPBody(length: nil, isReplayable: false) {
            var rest: [UInt8]? = bytes
            return { rest.take() }
        }
    }

    /// Returns a body that fails after the given bytes.
    private static func incomplete(_ bytes: [UInt8]) -> HTTPBody {
        HTTPBody(length: nil, isReplayable: false) {
            var rest: [UInt8]? = bytes
            return {
                defer { rest = nil }
                if let rest, !rest.isEmpty { return rest }
                throw TransportError(.connectionLost)
            }
        }
    }
}

/// What happens to a request and its response.
struct NetworkFate: Sendable {
    var isUnreachable = false
    var losesRequest = false
    var truncatesRequest = false
    var losesResponse = false
    var truncatesResponse = false
    /// The time until the request arrives, in nanoseconds.
    var requestDelay: Int64
    /// The time until the response arrives, in nanoseconds.
    var responseDelay: Int64
}

/// The faults of the network, each with its probability in percent.
public struct NetworkFaults: Sendable, Hashable {
    /// The probability that a connection cannot be established.
    public var unreachable = 0
    /// The probability that a request is lost before it arrives.
    public var lostRequest = 0
    /// The probability that a response is lost after the server has acted.
    public var lostResponse = 0
    /// The probability that the connection is lost in the middle of a response's body, or of an uploaded body.
    public var halfResponse = 0
    /// The probability that a response takes up to two minutes.
    public var slowResponse = 0
    /// The probability that a request takes up to 50 seconds to arrive.
    public var slowRequest = 0

    /// Creates a network without faults.
    public init() {}
}

/// The network of a simulation.
final class SimulatedNetwork: Sendable {
    private struct State {
        var random: SeededGenerator
        /// The random numbers for uploads, calls, consents and the second issuer.
        var additional: SeededGenerator
        var faults = NetworkFaults()
        var lastRequest = 0
    }

    private let state: Mutex<State>

    init(random: SeededGenerator, additional: SeededGenerator) {
        self.state = Mutex(State(random: random, additional: additional))
    }

    var faults: NetworkFaults {
        get { self.state.withLock { $0.faults } }
        set { self.state.withLock { $0.faults = newValue } }
    }

    func nextRequest() -> Int {
        self.state.withLock { state in
            state.lastRequest += 1
            return state.lastRequest
        }
    }

    func fate(of request: SimulatedRequest, isCutOff: Bool) -> NetworkFate {
        self.state.withLock { state in
            let faults = state.faults
            guard request.isAdditional else { return NetworkFate(faults, isCutOff, &state.random) }
            var fate = NetworkFate(faults, isCutOff, &state.additional)
            fate.truncatesRequest = state.additional.chance(faults.halfResponse)
            return fate
        }
    }
}

extension NetworkFate {
    fileprivate init(_ faults: NetworkFaults, _ isCutOff: Bool, _ random: inout SeededGenerator) {
        self.init(
            requestDelay: random.time(1_000_000...80_000_000),
            responseDelay: random.time(1_000_000...120_000_000)
        )
        self.isUnreachable = isCutOff || random.chance(faults.unreachable)
        self.losesRequest = random.chance(faults.lostRequest)
        self.losesResponse = random.chance(faults.lostResponse)
        self.truncatesResponse = random.chance(faults.halfResponse)
        if random.chance(faults.slowResponse) {
            self.responseDelay = random.time(1_000_000_000...120_000_000_000)
        }
        if faults.slowRequest > 0, random.chance(faults.slowRequest) {
            self.requestDelay = random.time(1_000_000_000...50_000_000_000)
        }
    }
}
