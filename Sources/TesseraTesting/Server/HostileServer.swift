// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import LoopbackHTTP
internal import TesseraSupport

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

    private let server: LoopbackServer
    private let record: Record

    /// The port that the system chose.
    public var port: UInt16 { self.server.port }
    /// `http://127.0.0.1:port`, without a slash at the end.
    public var baseURL: String { self.server.baseURL }
    /// Every whole request so far, in the order of their arrival.
    public var requests: [RecordedRequest] { self.record.requests.withLock { $0 } }

    private init(server: LoopbackServer, record: Record) {
        self.server = server
        self.record = record
    }

    /// Starts a server that asks `script` for each answer; requests on several connections run at the same time.
    ///
    /// - Returns: the running server.
    /// - Throws: an error when no socket can be had.
    public static func start(_ script: @escaping Script) throws -> HostileServer {
        let record = Record()
        let limits = LoopbackLimits(
            headerBytes: 1 << 20,
            bodyBytes: 1 << 28,
            headerDeadline: .seconds(60),
            idle: .seconds(60),
            connections: 4_096
        )
        let server = try LoopbackServer.start(on: .ipv4, limits: limits) { request in
            let recorded = RecordedRequest(request)
            record.requests.withLock { $0.append(recorded) }
            return await script(recorded).response
        }
        return HostileServer(server: server, record: record)
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
    public func stop() { self.server.stop() }

    private final class Record: Sendable {
        let requests = Mutex<[RecordedRequest]>([])
    }
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
