// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraOAuth
internal import TesseraTesting

/// A file on a scripted server, which serves ranges and produces one fault per request.
final class FileServer: Sendable {
    enum Fault: Sendable {
        /// No fault.
        case none
        /// Loses the connection after a number of bytes.
        case cut(Int)
        /// Ends the body after a number of bytes.
        case short(Int)
        /// Responds with a status and no content.
        case status(HTTPResponse.Status)
        /// Sends the whole file although a range was requested.
        case ignoredRange
        /// Sends the range although its condition is not met.
        case ignoredCondition
        /// Sends a different range than requested.
        case otherRange
    }

    struct State: Sendable {
        var content: [UInt8]
        var fields: HTTPFields = [.eTag: "\"one\""]
        var faults: [Fault]
    }

    let state: Mutex<State>

    init(_ content: [UInt8], faults: [Fault] = [], fields: HTTPFields = [.eTag: "\"one\""]) {
        self.state = Mutex(State(content: content, fields: fields, faults: faults))
    }

    /// Creates a transport that records its requests.
    ///
    /// `beforeResponse` is called before each response.
    func network(beforeResponse: @escaping @Sendable () throws -> Void = {}) -> ScriptedTransport {
        ScriptedTransport { request in
            try beforeResponse()
            return try self.response(request)
        }
    }

    private func response(_ request: RecordedRequest) throws -> ScriptedResponse {
        let (state, fault) = self.state.withLock { state in
            (state, state.faults.isEmpty ? .none : state.faults.removeFirst())
        }
        if case .status(let status) = fault { return .status(status) }
        var (first, head) = (0, HTTPResponse(status: .ok, headerFields: state.fields))
        let condition = request.head.headerFields[.ifRange]
        var holds = condition == nil || condition == state.fields[.eTag] || condition == state.fields[.lastModified]
        if case .ignoredCondition = fault { holds = true }
        if let range = request.head.headerFields[.range], holds {
            first = Int(range.dropFirst("bytes=".count).dropLast()) ?? 0
            if case .ignoredRange = fault { first = 0 }
            if case .otherRange = fault { first += 1 }
            guard first < state.content.count else {
                head.headerFields[.contentRange] = "bytes */\(state.content.count)"
                return .status(.rangeNotSatisfiable, headerFields: head.headerFields)
            }
            if first > 0 {
                head.status = .partialContent
                head.headerFields[.contentRange] = "bytes \(first)-\(state.content.count - 1)/\(state.content.count)"
            }
        }
        let rest = Array(state.content[first...])
        switch fault {
        case .cut(let count): return ScriptedResponse(head, body: Self.body(rest, count, .connectionLost))
        case .short(let count): return ScriptedResponse(head, body: Self.body(rest, count, nil))
        default: return ScriptedResponse(head, body: HTTPBody(rest))
        }
    }

    /// Creates a body with the first `count` bytes, in chunks of 1,000 bytes, which then ends or throws an error.
    private static func body(_ bytes: [UInt8], _ count: Int, _ error: TransportError.Code?) -> HTTPBody {
        HTTPBody(length: Int64(bytes.count), isReplayable: false) {
            var done = 0
            return {
                guard done < count else {
                    if let error { throw TransportError(error) }
                    return nil
                }
                let end = min(done + 1000, count, bytes.count)
                defer { done = end }
                return Array(bytes[done..<end])
            }
        }
    }
}
