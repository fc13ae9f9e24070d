// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Takes a request's bytes as they come, and tells when it is whole or cannot become one.
struct RequestReader {
    enum Outcome: Hashable {
        case needsMore
        case request(LoopbackRequest)
        /// The request is answered with this status and not looked at further.
        case refused(Int)
    }

    private enum Framing {
        case length(Int)
        case chunked(ChunkedBody)
    }

    private let limits: LoopbackLimits
    private var buffer: [UInt8] = []
    private var scanned = 0
    private var head: LoopbackRequest?
    private var framing = Framing.length(0)

    init(limits: LoopbackLimits) { self.limits = limits }

    /// Whether the headers are there and the body is on its way.
    var hasHead: Bool { self.head != nil }

    /// Takes more bytes.
    ///
    /// Whatever follows the request is left alone: there is one answer per connection.
    mutating func append(_ bytes: some Sequence<UInt8>) -> Outcome {
        self.buffer.append(contentsOf: bytes)
        if self.head == nil, let outcome = self.readHead() { return outcome }
        return self.readBody()
    }

    /// Nil when the head is complete.
    private mutating func readHead() -> Outcome? {
        guard let first = self.buffer.first else { return .needsMore }
        guard RequestHead.isToken(first) else { return .refused(400) }
        guard let end = self.endOfHead() else {
            return self.buffer.count > self.limits.headerBytes ? .refused(431) : .needsMore
        }
        guard end <= self.limits.headerBytes else { return .refused(431) }
        guard let request = RequestHead.parse(self.buffer[..<end]) else { return .refused(400) }
        guard let framing = Self.framing(of: request, limit: self.limits.bodyBytes) else { return .refused(400) }
        if case .length(let length) = framing, length > self.limits.bodyBytes { return .refused(413) }
        self.buffer.removeFirst(end)
        self.framing = framing
        self.head = request
        return nil
    }

    private mutating func readBody() -> Outcome {
        guard var request = self.head else { return .needsMore }
        switch self.framing {
        case .length(let length):
            guard self.buffer.count >= length else { return .needsMore }
            request.body = Array(self.buffer[..<length])
        case .chunked(var body):
            let status = body.append(self.buffer)
            self.buffer = []
            self.framing = .chunked(body)
            switch status {
            case .needsMore: return .needsMore
            case .malformed: return .refused(400)
            case .tooLarge: return .refused(413)
            case .done: request.body = body.bytes
            }
        }
        return .request(request)
    }

    /// The index after the empty line.
    private mutating func endOfHead() -> Int? {
        let buffer = self.buffer
        var index = max(self.scanned, 3)
        while index < buffer.count {
            if buffer[index] == 0x0A, buffer[index - 1] == 0x0D, buffer[index - 2] == 0x0A, buffer[index - 3] == 0x0D {
                return index + 1
            }
            index += 1
        }
        self.scanned = index
        return nil
    }

    /// How long the body is; nil when the fields contradict each other (RFC 9112, section 6.3).
    private static func framing(of request: LoopbackRequest, limit: Int) -> Framing? {
        let lengths = request.values(of: "Content-Length")
        let codings = request.values(of: "Transfer-Encoding")
        if codings.isEmpty {
            guard let text = lengths.first else { return .length(0) }
            guard lengths.count == 1, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            return .length(Int(text) ?? .max)
        }
        guard lengths.isEmpty, codings.count == 1, codings[0].lowercased() == "chunked" else { return nil }
        return .chunked(ChunkedBody(limit: limit))
    }
}
