// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport

/// The uploads at the API of a simulated provider.
///
/// A resumable upload follows Google's protocol. An upload in a single request is a `POST` request to `/objects`. Both
/// create one object when they are complete. The server remembers complete uploads, so that a client can request a
/// response that it did not receive. An import is a resumable upload whose sessions behave in different ways.
///
/// - SeeAlso: [Resumable uploads](https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable)
final class SimulatedUploads: Sendable {
    struct Session {
        let upload: Int
        var behavior = Behavior.usual
        var bytes: [UInt8] = []
        var isComplete = false
    }

    struct State {
        var random: SeededGenerator
        /// The random numbers for imports.
        var additional: SeededGenerator
        var sessions: [Int: Session] = [:]
        /// The sessions that have moved, by their new numbers.
        var moved: [Int: Int] = [:]
        var lastSession = 0
        /// The behavior of each import.
        var behaviors: [Int: Behavior] = [:]
    }

    enum Result {
        case unknown(HTTPResponse.Status)
        case received(Int, movedTo: String? = nil)
        case misaligned(upload: Int, count: Int)
        case rejected(upload: Int, offset: Int, received: Int)
        case created(upload: Int, SimulatedContent)
        case complete
    }

    static let sessions = "/upload/"
    let state: Mutex<State>

    init(random: SeededGenerator, additional: SeededGenerator) {
        self.state = Mutex(State(random: random, additional: additional))
    }

    /// Returns whether a request is for an upload session, which needs no token because its URI is secret.
    static func isSession(_ path: String) -> Bool { path.hasPrefix(Self.sessions) }

    /// Begins a resumable upload and returns the path of its session.
    func begin(_ upload: Int, _ behavior: Behavior = .usual) -> String {
        self.state.withLock { state in
            state.lastSession += 1
            state.sessions[state.lastSession] = Session(upload: upload, behavior: behavior)
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
    ///   - misaligned: A closure that receives how a piece violates the granularity of its session.
    /// - Returns: The response.
    func respond(
        to request: SimulatedRequest,
        _ record: (SimulationEvent.Action) -> Void,
        misaligned: (String) -> Void = { _ in }
    ) -> SimulatedResponse {
        if request.head.method == .delete { return self.cancel(request) }
        switch self.state.withLock({ Self.receive(request, &$0) }) {
        case .unknown(let status):
            return SimulatedResponse(status)
        case .misaligned(let upload, let count):
            misaligned("upload \(upload) sent \(count) bytes, which is not a multiple of the session's granularity")
            return SimulatedResponse(.badRequest)
        case .received(let count, let location):
            var fields: HTTPFields = count > 0 ? [.range: "bytes=0-\(count - 1)"] : [:]
            fields[.location] = location
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
        guard let id = state.session(request.path), var session = state.sessions[id], let range
        else {
            return .unknown(state.random.chance(50) ? .notFound : .gone)
        }
        guard !session.isComplete else { return .complete }
        let received = session.bytes.count
        guard let first = range.first ?? (received == range.total ? received : nil) else { return .received(received) }
        guard first == received else {
            return .rejected(upload: session.upload, offset: first, received: received)
        }
        if session.behavior != .usual, range.first != nil, let result = state.disturb(range, of: id, session) {
            return result
        }
        // A server may accept only a part of a piece.
        let isPartial = request.body.count > 1 && state.random.chance(10)
        session.bytes += isPartial ? request.body.prefix(request.body.count / 2) : request.body[...]
        session.isComplete = session.bytes.count == range.total
        defer { state.sessions[id] = session }
        guard session.isComplete else {
            return .received(session.bytes.count, movedTo: session.behavior == .moving ? state.move(id) : nil)
        }
        let content = SimulatedContent(session.bytes)
        session.bytes = []
        return .created(upload: session.upload, content)
    }
}

/// The value of a `Content-Range` field.
struct SimulatedContentRange {
    /// The offset of the first byte, or nil if the request has no bytes.
    let first: Int?
    /// The offset after the last byte, or nil if the request has no bytes.
    let end: Int?
    /// The total number of bytes, or nil if it is unknown.
    let total: Int?

    init?(_ field: String) {
        let parts = field.dropFirst("bytes ".count).split(separator: "/")
        guard field.hasPrefix("bytes "), parts.count == 2 else { return nil }
        let numbers = parts[0].split(separator: "-").map { Int($0) }
        self.first = numbers.first.flatMap { $0 }
        self.end = numbers.last.flatMap { $0 }.map { $0 + 1 }
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
