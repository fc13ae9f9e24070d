// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport

extension SimulatedUploads {
    /// The behavior of an import's sessions.
    enum Behavior: CaseIterable {
        /// It accepts each piece, or a part of it.
        case usual
        /// It requires that the size of each piece except the last is a multiple of 16 bytes.
        case granular
        /// It names a granularity that no client uses.
        case misgranular
        /// It moves the session to another URI after each piece.
        case moving
        /// It moves the session to an origin that is not authorized.
        case leaving
        /// It can lose bytes that it had received.
        case forgetful
        /// It can accept no byte of a piece.
        case idle
        /// It can claim to have more bytes than were sent.
        case exaggerating
        /// It can claim that the upload is complete before the last piece.
        case hasty
        /// It loses the session before the first piece arrives.
        case expiring
        /// It can refuse a piece.
        case refusing
        /// It can cancel the upload.
        case canceling
        /// It begins no session.
        case sessionless
        /// It begins a session at a text that is not a URI.
        case garbled
        /// It begins a session at an origin that is not authorized.
        case foreign
    }

    /// The field with the granularity of a session.
    static let granularity = HTTPField.Name("X-Granularity") ?? .contentRange

    /// Begins an import, which is a resumable upload.
    func beginImport(_ request: SimulatedRequest) -> SimulatedResponse {
        let upload = request.upload ?? 0
        let behavior = self.state.withLock { $0.behavior(of: upload) }
        var fields: HTTPFields
        switch behavior {
        case .sessionless: return SimulatedResponse(.ok)
        case .garbled: return SimulatedResponse(.ok, fields: [.location: "upload session"])
        case .foreign: return SimulatedResponse(.ok, fields: [.location: "https://elsewhere.example/upload/1"])
        default: fields = [.location: request.origin + self.begin(upload, behavior)]
        }
        if behavior == .granular { fields[Self.granularity] = "16" }
        if behavior == .misgranular { fields[Self.granularity] = "0" }
        return SimulatedResponse(.ok, fields: fields)
    }

    /// Ends a session that is not complete.
    func cancel(_ request: SimulatedRequest) -> SimulatedResponse {
        self.state.withLock { state in
            guard let id = state.session(request.path), state.sessions[id]?.isComplete == false else {
                return SimulatedResponse(.notFound)
            }
            if state.additional.chance(10) { return SimulatedResponse(.forbidden) }
            state.sessions[id] = nil
            return SimulatedResponse(HTTPResponse.Status(code: 499))
        }
    }
}

extension SimulatedUploads.State {
    /// Returns the number of the session at a path.
    func session(_ path: String) -> Int? {
        Int(path.dropFirst(SimulatedUploads.sessions.count)).map { self.moved[$0] ?? $0 }
    }

    fileprivate mutating func behavior(of upload: Int) -> SimulatedUploads.Behavior {
        if let known = self.behaviors[upload] { return known }
        let all = SimulatedUploads.Behavior.allCases
        let behavior = self.additional.chance(20) ? .usual : all[self.additional.below(all.count)]
        self.behaviors[upload] = behavior
        return behavior
    }

    /// Returns the path of another URI of a session, whose old one remains valid.
    mutating func move(_ id: Int) -> String {
        self.lastSession += 1
        self.moved[self.lastSession] = id
        return SimulatedUploads.sessions + "\(self.lastSession)"
    }

    /// Returns the result of a piece that the API does not accept as usual, or nil.
    mutating func disturb(
        _ range: SimulatedContentRange,
        of id: Int,
        _ session: SimulatedUploads.Session
    ) -> SimulatedUploads.Result? {
        let (received, end) = (session.bytes.count, range.end ?? 0)
        switch session.behavior {
        case .granular:
            let count = end - received
            return count % 16 == 0 || end == range.total ? nil : .misaligned(upload: session.upload, count: count)
        case .expiring:
            self.sessions[id] = nil
            return .unknown(.notFound)
        case .leaving: return .received(received, movedTo: "https://elsewhere.example/upload/\(id)")
        case .forgetful where received > 0 && self.additional.chance(40):
            self.sessions[id]?.bytes = Array(session.bytes.prefix(received / 2))
            return .received(received / 2)
        case .idle where self.additional.chance(40): return .received(received)
        case .exaggerating where self.additional.chance(40): return .received(end + 1_000)
        case .hasty where end != range.total && self.additional.chance(40): return .complete
        case .refusing where self.additional.chance(40): return .unknown(.forbidden)
        case .canceling where self.additional.chance(40): return .unknown(HTTPResponse.Status(code: 499))
        default: return nil
        }
    }
}
