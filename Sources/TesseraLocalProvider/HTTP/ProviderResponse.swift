// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TesseraJSON
internal import TesseraSupport

/// An endpoint's response as a value.
struct ProviderResponse: Sendable {
    /// The response body.
    enum Content: Sendable {
        case bytes([UInt8])
        /// A range of a file in the data directory, which is read while it is being sent.
        case file(DriveDownload)
    }

    var status: HTTPResponse.Status
    var headers: HTTPFields
    var content: Content
    /// The number of body bytes after which the connection closes.
    ///
    /// Test faults use it.
    var cutLength: Int?
    /// Whether the connection closes before the head is sent, because of a test fault or an interrupted upload.
    var isLost = false
    /// Whether the response is never sent.
    ///
    /// Test faults use it.
    var isHeld = false

    init(_ status: HTTPResponse.Status, headers: HTTPFields = HTTPFields(), content: Content = .bytes([])) {
        self.status = status
        self.headers = headers
        self.content = content
        self.headers[.xContentTypeOptions] = "nosniff"
    }

    static var lost: Self {
        var response = Self(.internalServerError)
        response.isLost = true
        return response
    }

    /// Returns a JSON response that must not be cached.
    static func json(_ node: JSONNode, status: HTTPResponse.Status = .ok) -> Self {
        var response = Self(
            status,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            content: .bytes(node.serialized(pretty: true))
        )
        response.headers[named: "Pragma"] = "no-cache"
        return response
    }

    static func text(_ text: String, status: HTTPResponse.Status) -> Self {
        Self(
            status,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            content: .bytes(Array((text + "\n").utf8))
        )
    }

    /// Returns a redirect.
    ///
    /// After a form, its status is 303, so that the browser does not send the form again.
    static func redirect(to location: String, after method: HTTPRequest.Method) -> Self {
        let headers: HTTPFields = [.location: location, .cacheControl: "no-store"]
        var response = Self(method == .post ? .seeOther : .found, headers: headers)
        response.headers[named: "Referrer-Policy"] = "no-referrer"
        return response
    }

    /// Returns a 405 response that lists the allowed methods.
    static func methodNotAllowed(_ allowed: String) -> Self {
        var response = Self.text("This address only accepts \(allowed).", status: .methodNotAllowed)
        response.headers[.allow] = allowed
        return response
    }
}

/// A value that can be converted to JSON.
protocol JSONContent { var node: JSONNode { get } }

extension JSONNode: JSONContent { var node: JSONNode { self } }
extension String: JSONContent { var node: JSONNode { .string(self) } }
extension Bool: JSONContent { var node: JSONNode { .bool(self) } }
extension Int: JSONContent { var node: JSONNode { .integer(Int64(self)) } }
extension Int64: JSONContent { var node: JSONNode { .integer(self) } }
extension Array: JSONContent where Element: JSONContent { var node: JSONNode { .array(self.map(\.node)) } }

extension JSONMember {
    /// Returns the members that have a value.
    static func list(_ members: KeyValuePairs<String, (any JSONContent)?>) -> [JSONMember] {
        members.compactMap { name, value in value.map { JSONMember(name: name, value: $0.node) } }
    }
}

extension JSONNode {
    /// Returns an object with the members that have a value.
    static func members(_ members: KeyValuePairs<String, (any JSONContent)?>) -> JSONNode {
        .object(JSONMember.list(members))
    }
}

/// An error that is sent as an HTTP response.
protocol EndpointFailure: HTTPResponseError {
    var response: ProviderResponse { get }
}

extension EndpointFailure {
    var status: HTTPResponse.Status { self.response.status }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        try self.response.response(from: request, context: context)
    }
}

/// An error that closes the connection without a response.
struct LostResponse: Error {}

extension ProviderResponse: ResponseGenerator {
    func response(from request: Request, context: some RequestContext) throws -> Response {
        if self.isLost { throw LostResponse() }
        let body =
            switch self.content {
            case .bytes(let bytes):
                ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            case .file(let download):
                ResponseBody(contentLength: download.length) { writer in
                    var rest = download
                    while let chunk = try await rest.nextChunk() { try await writer.write(ByteBuffer(bytes: chunk)) }
                    try await writer.finish(nil)
                }
            }
        let response = Response(status: self.status, headers: self.headers, body: body)
        return self.cutLength.map { response.cut(after: $0, context) } ?? response
    }

    /// Creates a response, independent of a connection, from the complete content of another response.
    init(collecting response: Response) async {
        let written = Mutex<[UInt8]>([])
        self.init(response.status, headers: response.headers)
        do {
            try await response.body.write(CollectingWriter { bytes in written.withLock { $0 += bytes } })
        } catch {
            self.cutLength = written.withLock { $0.count }
        }
        self.content = .bytes(written.withLock { $0 })
    }
}

private struct CollectingWriter: ResponseBodyWriter {
    let take: @Sendable (ByteBufferView) -> Void

    func write(_ buffer: ByteBuffer) async throws { self.take(buffer.readableBytesView) }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension Response {
    /// Returns the response with its body truncated.
    ///
    /// The connection closes after it.
    func cut(after count: Int, _ context: some RequestContext) -> Response {
        let (body, channel) = (self.body, (context as? ProviderRequestContext)?.channel)
        var response = self
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            try await body.write(CuttingWriter(parent: writer, rest: max(0, count), channel: channel))
        }
        return response
    }
}

private struct CuttingWriter: ResponseBodyWriter {
    var parent: any ResponseBodyWriter
    var rest: Int
    let channel: (any Channel)?

    @concurrent mutating func write(_ buffer: ByteBuffer) async throws {
        try await self.parent.write(ByteBuffer(bytes: buffer.readableBytesView.prefix(self.rest)))
        self.rest -= min(self.rest, buffer.readableBytes)
        guard self.rest == 0 else { return }
        // Close the connection after all written bytes have been sent.
        try? await self.channel?.close(mode: .output)
        throw CancellationError()
    }

    @concurrent consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await self.parent.finish(trailingHeaders)
    }
}
#endif
