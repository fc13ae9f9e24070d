// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import LoopbackHTTP

/// A scripted server on `127.0.0.1` that can send malformed and malicious responses and records every request.
///
/// The server can send redirects and bytes that are not HTTP, as well as responses that are slow, never end or end too
/// early. Each test starts its own server on its own port and stops it afterward:
///
/// ```swift
/// let server = try HostileServer.start { request in
///     request.path == "/token" ? .drip(Array("HTTP/1.1 200 OK\r\n".utf8), every: .milliseconds(5)) : .close
/// }
/// defer { server.stop() }
/// ```
///
/// - Important: The server responds to any process on this machine. Use it only in tests.
public final class HostileServer: Sendable {
    /// A function that returns the response to a request.
    public typealias Script = @Sendable (_ request: RecordedRequest) async -> HostileResponse

    private let server: ContractServer

    /// The port that the system chose.
    public var port: UInt16 { self.server.server.port }
    /// The URL `http://127.0.0.1:port`, without a trailing slash.
    public var baseURL: String { self.server.server.baseURL }
    /// All complete requests so far, in order of arrival.
    public var requests: [RecordedRequest] { self.server.requests.map(RecordedRequest.init) }

    private init(_ server: ContractServer) { self.server = server }

    /// Starts a server that calls `script` for each request.
    ///
    /// Requests on different connections are handled concurrently.
    ///
    /// - Returns: The running server.
    /// - Throws: An error if no socket can be opened.
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

    /// Starts a server with a fixed response for each path.
    ///
    /// All other paths return 404.
    ///
    /// - Returns: The running server.
    /// - Throws: An error if no socket can be opened.
    public static func start(paths: [String: HostileResponse]) throws -> HostileServer {
        try Self.start { request in paths[request.path] ?? .status(.notFound) }
    }

    /// Returns the requests to a path, in order of arrival.
    public func requests(to path: String) -> [RecordedRequest] { self.requests.filter { $0.path == path } }

    /// Closes the port and all connections.
    ///
    /// You can safely call this method more than once.
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

/// A response that a ``HostileServer`` sends.
public struct HostileResponse: Sendable {
    let response: LoopbackResponse

    /// Returns a well-formed response with a `Content-Length` field.
    ///
    /// The connection closes afterward.
    public static func respond(
        _ status: HTTPResponse.Status = .ok,
        headerFields: HTTPFields = [:],
        body: [UInt8]
    ) -> HostileResponse {
        let headers = headerFields.map { (name: $0.name.rawName, value: $0.value) }
        return HostileResponse(response: LoopbackResponse(status: status.code, headers: headers, body: body))
    }

    /// Returns a response with an `application/json` body, which does not have to be valid JSON.
    public static func json(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        headerFields: HTTPFields = [:]
    ) -> HostileResponse {
        var fields = headerFields
        if fields[.contentType] == nil { fields[.contentType] = "application/json" }
        return .respond(status, headerFields: fields, body: Array(text.utf8))
    }

    /// Returns a response without a body.
    public static func status(_ status: HTTPResponse.Status, headerFields: HTTPFields = [:]) -> HostileResponse {
        .respond(status, headerFields: headerFields, body: [])
    }

    /// Returns a redirect to the given URL, which can be any string.
    public static func redirect(to location: String, _ status: HTTPResponse.Status = .found) -> HostileResponse {
        .status(status, headerFields: [.location: location])
    }

    /// Returns a response that sends the bytes unchanged and then closes the connection.
    public static func raw(_ bytes: [UInt8]) -> HostileResponse {
        HostileResponse(response: .raw(chunks: [bytes]))
    }

    /// Returns a response that sends `size` bytes at a time with pauses in between, and then closes the connection.
    public static func drip(_ bytes: [UInt8], size: Int = 1, every pause: Duration) -> HostileResponse {
        let size = max(1, size)
        let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
        return HostileResponse(response: .raw(chunks: chunks, pause: pause))
    }

    /// Returns a response that sends the bytes and nothing more.
    ///
    /// The connection stays open until the client or ``HostileServer/stop()`` closes it.
    public static func hang(after bytes: [UInt8] = []) -> HostileResponse {
        HostileResponse(response: .raw(chunks: [bytes], then: .hang))
    }

    /// Returns a response that announces `length` bytes, sends a shorter body and closes the connection.
    public static func truncated(_ body: String, length: Int) -> HostileResponse {
        .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\nConnection: close\r\n\r\n\(body)".utf8))
    }

    /// A response that closes the connection without sending anything.
    public static let close = HostileResponse(response: .raw(chunks: []))
}
