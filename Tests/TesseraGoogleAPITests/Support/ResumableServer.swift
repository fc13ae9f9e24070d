// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraOAuth
internal import TesseraTesting

/// A server that accepts uploads with Google's protocols, `uploadType=resumable` or `X-Goog-Upload` fields.
///
/// Each request to a session uses the next fault of a list.
final class ResumableServer: Sendable {
    enum Fault: Sendable, Hashable {
        case none
        /// The server accepts only this number of bytes and reports it.
        case partial(Int)
        /// The server accepts everything, but its response is lost.
        case lostResponse
        /// The server accepts this number of bytes, then the connection breaks.
        case broken(Int)
        /// The server accepts nothing and responds with this status.
        case status(Int)
        /// The server moves the session to a new URI.
        case moved
        /// The server has lost the session and responds with this status.
        case gone(Int)
        /// The server claims more bytes than it received.
        case wrongRange
        /// The server loses bytes that it had received.
        case forgetful
    }

    struct State: Sendable {
        var faults: [Fault]
        var beginnings = 0
        var session = 0
        var received: [UInt8] = []
        var total: Int?
        var isComplete = false
    }

    let state: Mutex<State>
    let usesFields: Bool
    static let origin = "https://up.example"

    init(_ faults: [Fault] = [], usesFields: Bool = false) {
        self.state = Mutex(State(faults: faults))
        self.usesFields = usesFields
    }

    var network: ScriptedTransport { ScriptedTransport { request in try self.response(request) } }

    func response(_ request: RecordedRequest) throws -> ScriptedResponse {
        try self.state.withLock { state in
            guard request.path.hasPrefix("/session/") else {
                state.beginnings += 1
                state.session += 1
                (state.received, state.total, state.isComplete) = ([], nil, false)
                return self.begun(state.session)
            }
            let fault = state.faults.isEmpty ? .none : state.faults.removeFirst()
            if case .status(let code) = fault { return .status(.init(code: code)) }
            if case .gone(let code) = fault {
                state.session += 1
                return .status(.init(code: code))
            }
            guard request.path == "/session/\(state.session)" else { return .status(.notFound) }
            if fault == .forgetful { state.received = Array(state.received.dropLast(256 << 10)) }
            self.take(request, fault, &state)
            if case .broken = fault { throw TransportError(.connectionLost) }
            if fault == .lostResponse { throw TransportError(.connectionLost) }
            return self.response(&state, fault)
        }
    }

    private func begun(_ session: Int) -> ScriptedResponse {
        let uri = "\(Self.origin)/session/\(session)"
        return .status(
            .ok,
            headerFields: self.usesFields
                ? [
                    Self.name("X-Goog-Upload-Status"): "active", Self.name("X-Goog-Upload-URL"): uri,
                    Self.name("X-Goog-Upload-Chunk-Granularity"): "1000",
                ] : [.location: uri]
        )
    }

    private func take(_ request: RecordedRequest, _ fault: Fault, _ state: inout State) {
        let fields = request.head.headerFields
        let (offset, isLast, isData): (Int, Bool, Bool)
        if self.usesFields {
            let command = fields[Self.name("X-Goog-Upload-Command")] ?? ""
            (isData, isLast) = (command != "query", command.contains("finalize"))
            offset = fields[Self.name("X-Goog-Upload-Offset")].flatMap { Int($0) } ?? 0
        } else {
            let words = (fields[.contentRange] ?? "").dropFirst("bytes ".count).split(separator: "/")
            if let total = words.last.flatMap({ Int($0) }) { state.total = total }
            isData = words.first != "*"
            offset = words.first?.split(separator: "-").first.flatMap { Int($0) } ?? state.received.count
            isLast = state.total.map { offset + request.body.count >= $0 } ?? false
        }
        guard isData || self.usesFields == false else { return }
        var body = request.body[...]
        switch fault {
        case .partial(let count), .broken(let count): body = body.prefix(count)
        default: break
        }
        guard offset <= state.received.count else { return }
        if isData { state.received += body.dropFirst(state.received.count - offset) }
        let isWhole = state.total.map { state.received.count == $0 } ?? true
        if isLast || !isData, isWhole, self.usesFields || state.total != nil, body.count == request.body.count {
            state.isComplete = true
        }
    }

    private func response(_ state: inout State, _ fault: Fault) -> ScriptedResponse {
        if state.isComplete {
            return .json(
                #"{"size": \#(state.received.count)}"#,
                headerFields: self.usesFields ? [Self.name("X-Goog-Upload-Status"): "final"] : [:]
            )
        }
        var claimed = state.received.count
        if fault == .wrongRange { claimed += 1 << 30 }
        var fields: HTTPFields = [:]
        if self.usesFields {
            fields[Self.name("X-Goog-Upload-Status")] = "active"
            fields[Self.name("X-Goog-Upload-Size-Received")] = "\(claimed)"
            return .status(.ok, headerFields: fields)
        }
        if claimed > 0 { fields[.range] = "bytes=0-\(claimed - 1)" }
        if fault == .moved {
            state.session += 1
            fields[.location] = "/session/\(state.session)"
        }
        return .status(.init(code: 308), headerFields: fields)
    }

    static func name(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .accept }
}
