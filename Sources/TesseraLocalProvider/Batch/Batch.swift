// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import TesseraJOSE
internal import TesseraOAuth

/// Many calls in one request: a body of type `multipart/mixed`.
///
/// - SeeAlso: [Performance tips: batching](https://developers.google.com/workspace/drive/api/guides/performance)
struct Batch: Sendable {
    private static let limit = 100
    /// The fields that each part has for itself, apart from those that begin with `content-`.
    private static let ownFields: Set = [
        "host", "connection", "transfer-encoding", "te", "accept-encoding", "expect", "cookie", "mime-version",
    ]

    /// The addresses that take batches, and the beginnings of the paths that each takes calls for.
    private static let addresses: KeyValuePairs = [
        "/batch": ["/drive/v3/", "/gmail/v1/"], "/batch/drive/v3": ["/drive/v3/"], "/batch/gmail/v1": ["/gmail/v1/"],
    ]

    /// The name of each response's part, and its request or the reason why it has no request.
    private let calls: [(contentID: String?, request: Result<EndpointRequest, APIFailure>)]

    /// The addresses that take batches; each call is answered as if it had come alone.
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
    static func addRoutes(
        to router: Router<ProviderRequestContext>,
        _ options: LocalProviderOptions,
        answeredBy calls: ProviderRouter
    ) {
        for (address, prefixes) in Self.addresses {
            router.on(RouterPath(address), method: .post) { request, context in
                let batch = try Batch(try await EndpointRequest(request, context, limit: 48 << 20), prefixes)
                var answers: [(contentID: String?, response: EndpointResponse)] = []
                for (contentID, request) in batch.calls {
                    switch request {
                    case .success(let part): answers.append((contentID, await calls.answer(part)))
                    case .failure(let failure): answers.append((contentID, failure.response))
                    }
                }
                return Self.response(answers, boundary: "batch_" + Base64URL.encode(options.randomBytes(24)))
            }
            router.refuseOtherMethods(than: [.post], RouterPath(address), .methodNotAllowed("POST"))
        }
    }

    /// Throws for a body that is no batch; a part that is none fails alone.
    private init(_ request: EndpointRequest, _ prefixes: [String]) throws(APIFailure) {
        guard request.contentType == "multipart/mixed", let type = request.headers[.contentType],
            let parts = try? MultipartBody(request.body[...], contentType: type).parts
        else { throw Self.failure("the body is no multipart/mixed message with a boundary and an end.") }
        guard !parts.isEmpty else { throw Self.failure("the batch has no parts.") }
        guard parts.count <= Self.limit else {
            throw Self.failure("the batch has \(parts.count) calls; at most \(Self.limit) are allowed.")
        }
        self.calls = parts.map { part in
            let call = Result { () throws(APIFailure) in try Self.call(part, in: request, prefixes: prefixes) }
            return (part["Content-ID"], call)
        }
    }

    private static func failure(_ text: String) -> APIFailure {
        .badRequest("Failed to parse batch request, error: \(text)")
    }

    /// The answers in the order of the calls; the whole is lost when one of them is, or breaks off.
    private static func response(
        _ answers: [(contentID: String?, response: EndpointResponse)],
        boundary: String
    ) -> EndpointResponse {
        if answers.contains(where: { $0.response.isLost || $0.response.cutLength != nil }) { return .lost }
        var body: [UInt8] = []
        for (contentID, response) in answers {
            body += "--\(boundary)\r\nContent-Type: application/http\r\n".utf8
            if let contentID { body += "Content-ID: \(Self.answerID(contentID))\r\n".utf8 }
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
        return EndpointResponse(.ok, headers: headers, content: .bytes(body))
    }

    /// `<response-` and what stood in the call's angle brackets.
    private static func answerID(_ contentID: String) -> String {
        contentID.hasPrefix("<") ? "<response-" + contentID.dropFirst() : "response-" + contentID
    }

    /// Reads a part; what the outer request's fields say holds where the part does not say it itself.
    private static func call(
        _ part: MessageHead,
        in outer: EndpointRequest,
        prefixes: [String]
    ) throws(APIFailure) -> EndpointRequest {
        guard part["Content-Type"]?.fieldValue == "application/http" else {
            throw .badRequest("A part of a batch has the type application/http.")
        }
        let content = (part.content ?? []).drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        let end = content.firstIndex(of: UInt8(ascii: "\n")) ?? content.endIndex
        let line = String(decoding: MessageHead.withoutLineBreak(content[..<end]), as: UTF8.self)
        let words = line.split(separator: " ").map(String.init)
        guard (2...3).contains(words.count), words.count == 2 || words[2].hasPrefix("HTTP/"),
            let method = HTTPRequest.Method(words[0]), let target = Self.target(words[1]),
            let head = MessageHead(content[end...].dropFirst())
        else { throw .badRequest("A part of a batch begins with a method and an address.") }
        // `HTTPFields` traps at 65,535 fields.
        guard head.fields.count <= 1_000 else { throw .badRequest("A part of a batch has too many header fields.") }
        var fields = HTTPFields()
        for (name, value) in head.fields {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        for field in outer.headers where Self.isShared(field.name) && fields[field.name] == nil { fields.append(field) }
        var body = Array(head.content ?? [])
        if let length = fields[.contentLength].flatMap({ Int($0) }) { body = Array(body.prefix(max(0, length))) }
        if body.allSatisfy({ [9, 10, 13, 32].contains($0) }) { body = [] }
        let request = EndpointRequest(method, target, authority: outer.head.authority, headers: fields, body: body)
        guard prefixes.contains(where: request.path.hasPrefix) else {
            let message = "A batch takes calls of \(prefixes.joined(separator: " and ")), and no media."
            throw APIFailure(.notFound, "notFound", message)
        }
        if (try? FormParameters(received: request.query))?["alt"] == "media" {
            throw .badRequest("A batch takes no downloads.")
        }
        return request
    }

    /// The path and the query of an address, which may be whole.
    private static func target(_ text: String) -> String? {
        if text.hasPrefix("/") { return text }
        guard text.hasPrefix("https://") || text.hasPrefix("http://") else { return nil }
        let rest = text.drop { $0 != ":" }.dropFirst(3)
        return rest.firstIndex(of: "/").map { String(rest[$0...]) }
    }

    /// Whether an outer field is meant for the parts, too.
    private static func isShared(_ name: HTTPField.Name) -> Bool {
        let text = name.canonicalName
        return !text.hasPrefix("content-") && !Self.ownFields.contains(text)
    }
}
#endif
