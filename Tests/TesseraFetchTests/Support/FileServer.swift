// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraOAuth
internal import TesseraTesting

/// A file behind a scripted network, whole or in ranges, with one thing going wrong for each request.
final class FileServer: Sendable {
    enum Fault: Sendable {
        /// Nothing.
        case none
        /// After so many bytes the connection breaks.
        case cut(Int)
        /// After so many bytes the body just ends.
        case short(Int)
        /// A status in place of an answer.
        case status(HTTPResponse.Status)
        /// The whole comes though a part was asked for.
        case ignoredRange
        /// The part comes though its condition does not hold.
        case ignoredCondition
        /// Another part comes than the one that was asked for.
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

    /// The network; asking it shows what was asked.
    ///
    /// `beforeAnswer` is called between a request and its answer.
    func network(beforeAnswer: @escaping @Sendable () throws -> Void = {}) -> ScriptedTransport {
        ScriptedTransport { request in
            try beforeAnswer()
            return try self.answer(request)
        }
    }

    private func answer(_ request: RecordedRequest) throws -> ScriptedAnswer {
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
        case .cut(let count): return ScriptedAnswer(head, body: Self.body(rest, count, .connectionLost))
        case .short(let count): return ScriptedAnswer(head, body: Self.body(rest, count, nil))
        default: return ScriptedAnswer(head, body: HTTPBody(rest))
        }
    }

    /// The beginning of some bytes, in chunks of a thousand, and then an error or the end.
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
