// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import LoopbackHTTP

/// A server on `127.0.0.1` that does what its script says, wrong things too, and remembers every request.
///
/// Redirects, bytes that are not HTTP, answers that drip, hang or end too early: what a transport or a client must
/// survive. Each test starts its own, on a port of its own, and stops it:
///
/// ```swift
/// let server = try HostileServer.start { request in
///     request.path == "/token" ? .drip(Array("HTTP/1.1 200 OK\r\n".utf8), every: .milliseconds(5)) : .close
/// }
/// defer { server.stop() }
/// ```
///
/// - Important: It answers anybody on this machine and is not a server for anything but tests.
public final class HostileServer: Sendable {
    /// Answers a request.
    public typealias Script = @Sendable (_ request: RecordedRequest) async -> HostileAnswer

    private let server: ContractServer

    /// The port that the system chose.
    public var port: UInt16 { self.server.server.port }
    /// `http://127.0.0.1:port`, without a slash at the end.
    public var baseURL: String { self.server.server.baseURL }
    /// Every whole request so far, in the order of their arrival.
    public var requests: [RecordedRequest] { self.server.requests.map(RecordedRequest.init) }

    private init(_ server: ContractServer) { self.server = server }

    /// Starts a server that asks `script` for each answer; requests on several connections run at the same time.
    ///
    /// - Returns: the running server.
    /// - Throws: an error when no socket can be had.
    public static func start(_ script: @escaping Script) throws -> HostileServer {
        let limits = LoopbackLimits(
            headerBytes: 1 << 20,
            bodyBytes: 1 << 28,
            headerDeadline: .seconds(60),
            idle: .seconds(60),
            connections: 4_096
        )
        return HostileServer(
            try ContractServer(limits: limits) { request in await script(RecordedRequest(request)).response }
        )
    }

    /// Starts a server that has an answer for each of these paths, and 404 for every other.
    ///
    /// - Returns: the running server.
    /// - Throws: an error when no socket can be had.
    public static func start(paths: [String: HostileAnswer]) throws -> HostileServer {
        try Self.start { request in paths[request.path] ?? .status(.notFound) }
    }

    /// The requests to a path, in the order of their arrival.
    public func requests(to path: String) -> [RecordedRequest] { self.requests.filter { $0.path == path } }

    /// Closes the port and every connection; may be called again.
    public func stop() { self.server.server.stop() }
}

extension RecordedRequest {
    fileprivate init(_ request: LoopbackRequest) {
        var fields = HTTPFields()
        for header in request.headers {
            guard let name = HTTPField.Name(header.name) else { continue }
            fields.append(HTTPField(name: name, value: header.value))
        }
        let head = HTTPRequest(
            method: HTTPRequest.Method(request.method) ?? .get,
            scheme: "http",
            authority: request.value(of: "Host"),
            path: request.target,
            headerFields: fields
        )
        self.init(head: head, body: request.body)
    }
}

/// What a ``HostileServer`` does with a request.
public struct HostileAnswer: Sendable {
    let response: LoopbackResponse

    /// A well-formed response, with its length, after which the connection closes.
    public static func respond(
        _ status: HTTPResponse.Status = .ok,
        headerFields: HTTPFields = [:],
        body: [UInt8]
    ) -> HostileAnswer {
        let headers = headerFields.map { (name: $0.name.rawName, value: $0.value) }
        return HostileAnswer(response: LoopbackResponse(status: status.code, headers: headers, body: body))
    }

    /// A response with an `application/json` body, which need not be valid JSON.
    public static func json(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        headerFields: HTTPFields = [:]
    ) -> HostileAnswer {
        var fields = headerFields
        if fields[.contentType] == nil { fields[.contentType] = "application/json" }
        return .respond(status, headerFields: fields, body: Array(text.utf8))
    }

    /// A response without a body.
    public static func status(_ status: HTTPResponse.Status, headerFields: HTTPFields = [:]) -> HostileAnswer {
        .respond(status, headerFields: headerFields, body: [])
    }

    /// A redirect to any URL.
    public static func redirect(to location: String, _ status: HTTPResponse.Status = .found) -> HostileAnswer {
        .status(status, headerFields: [.location: location])
    }

    /// Exactly these bytes, whatever they are, then the end of the connection.
    public static func raw(_ bytes: [UInt8]) -> HostileAnswer {
        HostileAnswer(response: .raw(chunks: [bytes]))
    }

    /// These bytes in pieces of `size`, with a pause after each, then the end of the connection.
    public static func drip(_ bytes: [UInt8], size: Int = 1, every pause: Duration) -> HostileAnswer {
        let size = max(1, size)
        let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
        return HostileAnswer(response: .raw(chunks: chunks, pause: pause))
    }

    /// These bytes, then silence: the connection stays open until the client or the server's `stop()` closes it.
    public static func hang(after bytes: [UInt8] = []) -> HostileAnswer {
        HostileAnswer(response: .raw(chunks: [bytes], then: .hang))
    }

    /// The head of a response that promises `length` bytes, fewer bytes than that, and the end of the connection.
    public static func truncated(_ body: String, length: Int) -> HostileAnswer {
        .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\nConnection: close\r\n\r\n\(body)".utf8))
    }

    /// The end of the connection instead of an answer.
    public static let close = HostileAnswer(response: .raw(chunks: []))
}
