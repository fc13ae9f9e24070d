// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// An incremental parser for a single request.
struct RequestReader {
    enum Result: Hashable {
        case needsMore
        case request(LoopbackRequest)
        /// The request is rejected with this status.
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

    /// Whether the headers are complete.
    var hasHead: Bool { self.head != nil }

    /// Appends received bytes and returns the resulting state of the request.
    ///
    /// Bytes after the request are ignored, because each connection has only one response.
    mutating func append(_ bytes: some Sequence<UInt8>) -> Result {
        self.buffer.append(contentsOf: bytes)
        if self.head == nil, let outcome = self.readHead() { return outcome }
        return self.readBody()
    }

    /// Parses the head if it has arrived.
    ///
    /// Returns `nil` if the head is complete.
    private mutating func readHead() -> Result? {
        guard let first = self.buffer.first else { return .needsMore }
        guard first.isTokenCharacter else { return .refused(400) }
        guard let end = RequestHead.end(in: self.buffer, scanned: &self.scanned) else {
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

    private mutating func readBody() -> Result {
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

    /// Returns the framing of the body, or `nil` if the header fields contradict each other (RFC 9112, section 6.3).
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

/// A strict parser for a request line and header fields, which rejects everything that the standard does not allow.
///
/// - SeeAlso: [RFC 9112, sections 2 to 5](https://www.rfc-editor.org/rfc/rfc9112.html#section-2)
enum RequestHead {
    /// Parses a request without its body from bytes that end with an empty line.
    ///
    /// Returns `nil` if the bytes are malformed.
    static func parse(_ bytes: ArraySlice<UInt8>) -> LoopbackRequest? {
        guard var lines = Self.lines(bytes), !lines.isEmpty else { return nil }
        let parts = lines.removeFirst().split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, let method = Self.token(parts[0]), let target = Self.target(parts[1]) else {
            return nil
        }
        let version = String(decoding: parts[2], as: UTF8.self)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else { return nil }
        var request = LoopbackRequest(method: method, target: target)
        for line in lines {
            guard let header = Self.header(line) else { return nil }
            request.headers.append(header)
        }
        let hosts = request.values(of: "Host").count
        guard hosts == 1 || (hosts == 0 && version == "HTTP/1.0") else { return nil }
        return request
    }

    /// Returns the index after the empty line, or `nil` if it has not arrived yet.
    ///
    /// The bytes before `scanned` have already been searched by an earlier call.
    static func end(in bytes: [UInt8], scanned: inout Int) -> Int? {
        var index = max(scanned, 3)
        while index < bytes.count {
            if bytes[index] == 0x0A, bytes[index - 1] == 0x0D, bytes[index - 2] == 0x0A, bytes[index - 3] == 0x0D {
                return index + 1
            }
            index += 1
        }
        scanned = index
        return nil
    }

    /// Returns the lines before the empty line, or `nil` if the bytes contain a bare line feed or carriage return.
    private static func lines(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var lines: [ArraySlice<UInt8>] = []
        for line in bytes.dropLast(2).split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            guard line.last == 0x0D else { return nil }
            let content = line.dropLast()
            guard !content.contains(0x0D) else { return nil }
            lines.append(content)
        }
        return lines
    }

    private static func token(_ bytes: ArraySlice<UInt8>) -> String? {
        guard !bytes.isEmpty, bytes.allSatisfy(\.isTokenCharacter) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func target(_ bytes: ArraySlice<UInt8>) -> String? {
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func header(_ line: ArraySlice<UInt8>) -> LoopbackRequest.Header? {
        guard let colon = line.firstIndex(of: 0x3A), let name = Self.token(line[..<colon]) else { return nil }
        var value = line[line.index(after: colon)...]
        while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        guard value.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else { return nil }
        return LoopbackRequest.Header(name: name, value: String(decoding: value, as: UTF8.self))
    }
}

/// A decoder for the chunked transfer coding.
///
/// - SeeAlso: [RFC 9112, section 7.1](https://www.rfc-editor.org/rfc/rfc9112.html#section-7.1)
struct ChunkedBody {
    enum Status: Hashable {
        case needsMore
        case done
        case malformed
        case tooLarge
    }

    private enum Part {
        case size
        case data(Int)
        case dataEnd
        case trailer
    }

    private let limit: Int
    private(set) var bytes: [UInt8] = []
    private var part = Part.size
    private var line: [UInt8] = []
    private var trailerBytes = 0

    init(limit: Int) { self.limit = limit }

    mutating func append(_ input: [UInt8]) -> Status {
        var rest = input[...]
        while !rest.isEmpty {
            if case .data(let missing) = self.part {
                let taken = rest.prefix(missing)
                self.bytes += taken
                rest = rest.dropFirst(taken.count)
                self.part = taken.count == missing ? .dataEnd : .data(missing - taken.count)
            } else if let status = self.take(rest.removeFirst()) {
                return status
            }
        }
        return .needsMore
    }

    /// Processes one byte of a line.
    ///
    /// Returns a status if decoding has ended, or `nil` to continue.
    private mutating func take(_ byte: UInt8) -> Status? {
        self.line.append(byte)
        guard byte == 0x0A else { return self.line.count > 1024 ? .malformed : nil }
        guard self.line.suffix(2).first == 0x0D else { return .malformed }
        let content = self.line.dropLast(2)
        self.line = []
        switch self.part {
        case .size:
            let digits = content.prefix { $0 != 0x3B && $0 != 0x20 && $0 != 0x09 }
            guard !digits.isEmpty, digits.count <= 15, digits.first != 0x2B, digits.first != 0x2D,
                let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return .malformed }
            guard size <= self.limit - self.bytes.count else { return .tooLarge }
            self.part = size == 0 ? .trailer : .data(size)
        case .dataEnd:
            guard content.isEmpty else { return .malformed }
            self.part = .size
        case .trailer:
            if content.isEmpty { return .done }
            self.trailerBytes += content.count
            if self.trailerBytes > 16 * 1024 { return .tooLarge }
        case .data:
            return .malformed
        }
        return nil
    }
}
