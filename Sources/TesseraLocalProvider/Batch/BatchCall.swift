// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

/// One request of a batch: a part of type `application/http`.
struct BatchCall: Sendable {
    /// What the answer's part is called by.
    var contentID: String?
    /// The request, or why it is none.
    var request: Result<EndpointRequest, APIFailure>

    /// Reads a part; what the outer request's fields say holds where the part does not say it itself.
    init(_ part: MessageHead, in outer: EndpointRequest, prefixes: [String]) {
        self.contentID = part["Content-ID"]
        do throws(APIFailure) {
            self.request = .success(try Self.request(part, in: outer, prefixes: prefixes))
        } catch {
            self.request = .failure(error)
        }
    }

    private static func request(
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
        let request = EndpointRequest(method, target, authority: outer.authority, headers: fields, body: body)
        guard prefixes.contains(where: request.path.hasPrefix) else {
            throw APIFailure(
                status: .notFound,
                reason: "notFound",
                message: "A batch takes calls of \(prefixes.joined(separator: " and ")), and no media."
            )
        }
        if (try? FormParameters(decoding: request.query))?["alt"] == "media" {
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
        let own = [
            "host", "connection", "transfer-encoding", "te", "accept-encoding", "expect", "cookie", "mime-version",
        ]
        let text = name.canonicalName
        return !text.hasPrefix("content-") && !own.contains(text)
    }
}
#endif
