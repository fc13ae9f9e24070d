// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraOAuth
internal import TesseraTesting

/// A server that takes uploads as Google does, by `uploadType=resumable` or with `X-Goog-Upload` fields, with one thing
/// going wrong for each request to a session.
final class ResumableServer: Sendable {
    enum Fault: Sendable, Hashable {
        case none
        /// It takes so many bytes of what comes, and says so.
        case partial(Int)
        /// It takes everything, and its answer is lost.
        case lostAnswer
        /// It takes so many bytes, and the connection breaks.
        case broken(Int)
        /// A status, and nothing is taken.
        case status(Int)
        /// A new session URI.
        case moved
        /// The session is forgotten.
        case gone(Int)
        /// More is claimed than came.
        case wrongRange
        /// What was taken is lost again.
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

    var network: ScriptedTransport { ScriptedTransport { request in try self.answer(request) } }

    private func answer(_ request: RecordedRequest) throws -> ScriptedAnswer {
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
            if fault == .lostAnswer { throw TransportError(.connectionLost) }
            return self.answer(&state, fault)
        }
    }

    private func begun(_ session: Int) -> ScriptedAnswer {
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

    private func answer(_ state: inout State, _ fault: Fault) -> ScriptedAnswer {
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
