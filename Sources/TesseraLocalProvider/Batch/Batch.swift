// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import TesseraJOSE
internal import TesseraOAuth

/// A batch of calls, sent in a single request with a `multipart/mixed` body.
///
/// - SeeAlso: [Performance tips: batching](https://developers.google.com/workspace/drive/api/guides/performance)
struct Batch: Sendable {
    /// The fields that parts do not inherit from the request, in addition to any field that begins with `content-`.
    private static let ownFields: Set = [
        "host", "connection", "transfer-encoding", "te", "accept-encoding", "expect", "cookie", "mime-version",
    ]

    /// The batch addresses, each with the path prefixes and the number of the calls that it accepts.
    private static let addresses: KeyValuePairs = [
        "/batch": (["/drive/v3/", "/gmail/v1/", "/calendar/v3/"], 100), "/batch/drive/v3": (["/drive/v3/"], 100),
        "/batch/gmail/v1": (["/gmail/v1/"], 100), "/batch/calendar/v3": (["/calendar/v3/"], 1_000),
    ]

    /// Each part's content ID, along with its request or an error if it could not be parsed.
    private let calls: [(contentID: String?, request: Result<ProviderRequest, APIFailure>)]

    /// Adds the batch routes.
    ///
    /// Each call is processed like a separate request.
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
    static func addRoutes(
        to router: Router<ProviderRequestContext>,
        _ options: LocalProviderOptions,
        respondedBy calls: ProviderRouter
    ) {
        for (address, (prefixes, limit)) in Self.addresses {
            router.on(RouterPath(address), method: .post) { request, context in
                let batch = try Batch(try await ProviderRequest(request, context, limit: 48 << 20), prefixes, limit)
                var responses: [(contentID: String?, response: ProviderResponse)] = []
                for (contentID, request) in batch.calls {
                    switch request {
                    case .success(let part): responses.append((contentID, await calls.response(part)))
                    case .failure(let failure): responses.append((contentID, failure.response))
                    }
                }
                return Self.response(responses, boundary: "batch_" + Base64URL.encode(options.randomBytes(24)))
            }
            router.refuseOtherMethods(than: [.post], RouterPath(address), .methodNotAllowed("POST"))
        }
    }

    /// Parses a batch.
    ///
    /// A malformed part causes an error for that part only.
    private init(_ request: ProviderRequest, _ prefixes: [String], _ limit: Int) throws(APIFailure) {
        guard request.contentType == "multipart/mixed", let type = request.headers[.contentType],
            let parts = try? MultipartBody(request.body[...], contentType: type).parts
        else {
            throw Self.failure("the body is not a multipart/mixed message with a boundary and a closing delimiter.")
        }
        guard !parts.isEmpty else { throw Self.failure("the batch has no parts.") }
        guard parts.count <= limit else {
            throw Self.failure("the batch has \(parts.count) calls; at most \(limit) are allowed.")
        }
        self.calls = parts.map { part in
            let call = Result { () throws(APIFailure) in try Self.call(part, in: request, prefixes: prefixes) }
            return (part["Content-ID"], call)
        }
    }

    private static func failure(_ text: String) -> APIFailure {
        .badRequest("Failed to parse batch request, error: \(text)")
    }

    /// Returns the responses in the order of the calls, or a lost response if one of them is lost or truncated.
    private static func response(
        _ responses: [(contentID: String?, response: ProviderResponse)],
        boundary: String
    ) -> ProviderResponse {
        if responses.contains(where: { $0.response.isLost || $0.response.cutLength != nil }) { return .lost }
        var body: [UInt8] = []
        for (contentID, response) in responses {
            body += "--\(boundary)\r\nContent-Type: application/http\r\n".utf8
            if let contentID { body += "Content-ID: \(Self.responseID(contentID))\r\n".utf8 }
            body += "\r\nHTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n".utf8
            let content = if case .bytes(let bytes) = response.content { bytes } else { [UInt8]() }
            for field in response.headers where field.name != .contentLength {
                body += "\(field.name): \(field.value)\r\n".utf8
            }
            body += "Content-Length: \(content.count)\r\n\r\n".utf8
            body += content
            body += "\r\n".utf8
        }
        body += "--\(boundary)--\r\n".utf8
        let type = "multipart/mixed; boundary=\(boundary)"
        let headers: HTTPFields = [.contentType: type, .cacheControl: "private, no-store"]
        return ProviderResponse(.ok, headers: headers, content: .bytes(body))
    }

    /// Returns `<response-` followed by the call's content ID without its opening angle bracket.
    private static func responseID(_ contentID: String) -> String {
        contentID.hasPrefix("<") ? "<response-" + contentID.dropFirst() : "response-" + contentID
    }

    /// Parses a part.
    ///
    /// The part inherits the outer request's shared fields, except for those that it sets itself.
    private static func call(
        _ part: MessageHead,
        in outer: ProviderRequest,
        prefixes: [String]
    ) throws(APIFailure) -> ProviderRequest {
        guard part["Content-Type"]?.fieldValue == "application/http" else {
            throw .badRequest("The type of each part of a batch must be application/http.")
        }
        let content = (part.content ?? []).drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        let end = content.firstIndex(of: UInt8(ascii: "\n")) ?? content.endIndex
        let line = String(decoding: MessageHead.withoutLineBreak(content[..<end]), as: UTF8.self)
        let words = line.split(separator: " ").map(String.init)
        guard (2...3).contains(words.count), words.count == 2 || words[2].hasPrefix("HTTP/"),
            let method = HTTPRequest.Method(words[0]), let target = Self.target(words[1]),
            let head = MessageHead(content[end...].dropFirst())
        else { throw .badRequest("Each part of a batch must start with a method and an address.") }
        // `HTTPFields` traps if it has 65,535 fields.
        guard head.fields.count <= 1_000 else { throw .badRequest("A part of a batch has too many header fields.") }
        var fields = HTTPFields()
        for (name, value) in head.fields {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        for field in outer.headers where Self.isShared(field.name) && fields[field.name] == nil { fields.append(field) }
        var body = Array(head.content ?? [])
        if let length = fields[.contentLength].flatMap({ Int($0) }) { body = Array(body.prefix(max(0, length))) }
        if body.allSatisfy({ [9, 10, 13, 32].contains($0) }) { body = [] }
        let request = ProviderRequest(method, target, authority: outer.head.authority, headers: fields, body: body)
        guard prefixes.contains(where: request.path.hasPrefix) else {
            let message = "A batch can only contain calls to \(prefixes.joined(separator: " and ")), without media."
            throw APIFailure(.notFound, "notFound", message)
        }
        if (try? FormParameters(received: request.query))?["alt"] == "media" {
            throw .badRequest("A batch cannot contain downloads.")
        }
        return request
    }

    /// Returns the path and query of an absolute or relative URL.
    private static func target(_ text: String) -> String? {
        if text.hasPrefix("/") { return text }
        guard text.hasPrefix("https://") || text.hasPrefix("http://") else { return nil }
        let rest = text.drop { $0 != ":" }.dropFirst(3)
        return rest.firstIndex(of: "/").map { String(rest[$0...]) }
    }

    /// Returns whether parts inherit a field from the outer request.
    private static func isShared(_ name: HTTPField.Name) -> Bool {
        let text = name.canonicalName
        return !text.hasPrefix("content-") && !Self.ownFields.contains(text)
    }
}
#endif
