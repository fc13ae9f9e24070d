// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport

/// The uploads at the API of a simulated provider.
///
/// A resumable upload follows Google's protocol. An upload in a single request is a `POST` request to `/objects`. Both
/// create one object when they are complete. The server remembers complete uploads, so that a client can request a
/// response that it did not receive.
///
/// - SeeAlso: [Resumable uploads](https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable)
final class SimulatedUploads: Sendable {
    private struct Session {
        let upload: Int
        var bytes: [UInt8] = []
        var isComplete = false
    }

    private struct State {
        var random: SeededGenerator
        var sessions: [Int: Session] = [:]
        var lastSession = 0
    }

    private enum Result {
        case unknown(HTTPResponse.Status)
        case received(Int)
        case rejected(upload: Int, offset: Int, received: Int)
        case created(upload: Int, SimulatedContent)
        case complete
    }

    private static let sessions = "/upload/"
    private let state: Mutex<State>

    init(random: SeededGenerator) { self.state = Mutex(State(random: random)) }

    /// Returns whether a request is for an upload session, which needs no token because its URI is secret.
    static func isSession(_ path: String) -> Bool { path.hasPrefix(Self.sessions) }

    /// Begins a resumable upload and returns the path of its session.
    func begin(_ upload: Int) -> String {
        self.state.withLock { state in
            state.lastSession += 1
            state.sessions[state.lastSession] = Session(upload: upload)
            return Self.sessions + "\(state.lastSession)"
        }
    }

    /// Forgets all uploads that are not complete.
    func forgetUnfinished() { self.state.withLock { $0.sessions = $0.sessions.filter { $0.value.isComplete } } }

    /// Responds to a piece or an inquiry.
    ///
    /// - Parameters:
    ///   - request: The request, with only the first bytes of its body if the connection was lost.
    ///   - record: A closure that records an event.
    /// - Returns: The response.
    func respond(to request: SimulatedRequest, _ record: (SimulationEvent.Action) -> Void) -> SimulatedResponse {
        switch self.state.withLock({ Self.receive(request, &$0) }) {
        case .unknown(let status):
            return SimulatedResponse(status)
        case .received(let count):
            let fields: HTTPFields = count > 0 ? [.range: "bytes=0-\(count - 1)"] : [:]
            return SimulatedResponse(HTTPResponse.Status(code: 308), fields: fields)
        case .rejected(let upload, let offset, let received):
            record(.pieceRejected(upload: upload, offset: offset, received: received))
            return SimulatedResponse(.badRequest)
        case .created(let upload, let content):
            record(.created(upload: upload, content))
            return SimulatedResponse(.ok, #"{"name": "\#(upload)"}"#)
        case .complete:
            return SimulatedResponse(.ok, #"{"name": "known"}"#)
        }
    }

    private static func receive(_ request: SimulatedRequest, _ state: inout State) -> Result {
        let range = request.head.headerFields[.contentRange].flatMap { SimulatedContentRange($0) }
        guard let id = Int(request.path.dropFirst(Self.sessions.count)), var session = state.sessions[id], let range
        else {
            return .unknown(state.random.chance(50) ? .notFound : .gone)
        }
        guard !session.isComplete else { return .complete }
        let received = session.bytes.count
        guard let first = range.first else { return .received(received) }
        guard first == received else {
            return .rejected(upload: session.upload, offset: first, received: received)
        }
        // A server may accept only a part of a piece.
        let isPartial = request.body.count > 1 && state.random.chance(10)
        session.bytes += isPartial ? request.body.prefix(request.body.count / 2) : request.body[...]
        session.isComplete = session.bytes.count == range.total
        defer { state.sessions[id] = session }
        guard session.isComplete else { return .received(session.bytes.count) }
        let content = SimulatedContent(session.bytes)
        session.bytes = []
        return .created(upload: session.upload, content)
    }
}

/// The value of a `Content-Range` field.
private struct SimulatedContentRange {
    /// The offset of the first byte, or nil if the request has no bytes.
    let first: Int?
    /// The total number of bytes, or nil if it is unknown.
    let total: Int?

    init?(_ field: String) {
        let parts = field.dropFirst("bytes ".count).split(separator: "/")
        guard field.hasPrefix("bytes "), parts.count == 2 else { return nil }
        self.first = parts[0].split(separator: "-").first.flatMap { Int($0) }
        self.total = Int(parts[1])
    }
}

/// The length and a checksum of an upload's bytes.
public struct SimulatedContent: Sendable, Hashable {
    /// The number of bytes.
    public let count: Int
    /// The FNV-1a checksum.
    public let checksum: UInt64

    init(_ bytes: [UInt8]) {
        self.count = bytes.count
        self.checksum = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
