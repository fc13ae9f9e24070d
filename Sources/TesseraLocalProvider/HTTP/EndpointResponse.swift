// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TesseraJSON
internal import TesseraSupport

/// One response of an endpoint: values only.
struct EndpointResponse: Sendable {
    /// What is sent after the head.
    enum Content: Sendable {
        case bytes([UInt8])
        /// A part of a file of the data directory, read while it is sent.
        case file(DriveDownload)
    }

    var status: HTTPResponse.Status
    var headers: HTTPFields
    var content: Content
    /// After how many bytes of the body the connection ends: a test switch.
    var cutLength: Int?
    /// Whether the connection ends before the head: a test switch, and what a broken upload gets.
    var isLost = false
    /// Whether it never comes: a test switch.
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

    /// A JSON answer that no cache may keep.
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

    /// Sends the browser to another address; 303 after a form, so that the form is not sent again.
    static func redirect(to location: String, after method: HTTPRequest.Method) -> Self {
        let headers: HTTPFields = [.location: location, .cacheControl: "no-store"]
        var response = Self(method == .post ? .seeOther : .found, headers: headers)
        response.headers[named: "Referrer-Policy"] = "no-referrer"
        return response
    }

    /// The method is not one of `allowed`.
    static func methodNotAllowed(_ allowed: String) -> Self {
        var response = Self.text("This address answers \(allowed) only.", status: .methodNotAllowed)
        response.headers[.allow] = allowed
        return response
    }
}

/// A value that a JSON response can carry.
protocol JSONContent { var node: JSONNode { get } }

extension JSONNode: JSONContent { var node: JSONNode { self } }
extension String: JSONContent { var node: JSONNode { .string(self) } }
extension Bool: JSONContent { var node: JSONNode { .bool(self) } }
extension Int: JSONContent { var node: JSONNode { .integer(Int64(self)) } }
extension Int64: JSONContent { var node: JSONNode { .integer(self) } }
extension Array: JSONContent where Element: JSONContent { var node: JSONNode { .array(self.map(\.node)) } }

extension JSONMember {
    /// The members that have a value.
    static func list(_ members: KeyValuePairs<String, (any JSONContent)?>) -> [JSONMember] {
        members.compactMap { name, value in value.map { JSONMember(name: name, value: $0.node) } }
    }
}

extension JSONNode {
    /// An object of the members that have a value.
    static func members(_ members: KeyValuePairs<String, (any JSONContent)?>) -> JSONNode {
        .object(JSONMember.list(members))
    }
}

/// An error that an endpoint answers.
protocol EndpointFailure: HTTPResponseError {
    var response: EndpointResponse { get }
}

extension EndpointFailure {
    var status: HTTPResponse.Status { self.response.status }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        try self.response.response(from: request, context: context)
    }
}

/// The connection ends before the response.
struct LostResponse: Error {}

extension EndpointResponse: ResponseGenerator {
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

    /// What a response without a connection says, with its whole content.
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
    /// The response with the first bytes of its body only; then the connection ends.
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
        // Ends the connection when everything that was written is sent.
        try? await self.channel?.close(mode: .output)
        throw CancellationError()
    }

    @concurrent consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await self.parent.finish(trailingHeaders)
    }
}
#endif
