// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraFetch
internal import TesseraOAuth

/// A call in a batch request.
struct BatchPart: Sendable {
    let request: HTTPRequest
    let body: [UInt8]
    let isIdempotent: Bool

    init<Request: APIRequest>(_ call: APICall<Request>) throws {
        let message = try call.message()
        var options = call.options
        if options.isIdempotent == nil { options.isIdempotent = message.isIdempotent }
        self.request = message.request
        self.body = message.body ?? []
        self.isIdempotent = options.isIdempotent(message.request)
    }

    /// Returns the call as the text of a part, without a token, because the batch request's token applies to all parts.
    func text(contentID: Int) -> [UInt8] {
        var text =
            "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <\(contentID)>\r\n\r\n"
        text += "\(self.request.method.rawValue) \(self.request.path ?? "/")\r\n"
        for field in self.request.headerFields where field.name != .authorization {
            text += "\(field.name.rawName): \(field.value)\r\n"
        }
        if !self.body.isEmpty { text += "Content-Length: \(self.body.count)\r\n" }
        return Array((text + "\r\n").utf8) + self.body
    }
}

/// The response to a part of a batch request.
struct BatchPartResponse: Sendable {
    let response: HTTPResponse
    let body: [UInt8]

    var status: Int { self.response.status.code }
    var isSuccess: Bool { 200...299 ~= self.status }

    /// Parses a status line such as `HTTP/1.1 200 OK`, header fields, an empty line and a body.
    ///
    /// Returns nil on failure.
    init?(_ text: ArraySlice<UInt8>) {
        guard let (head, rest) = MultipartMixed.split(text), let statusLine = head.first else { return nil }
        let words = statusLine.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]), 100...599 ~= status else {
            return nil
        }
        var fields = HTTPFields()
        for line in head.dropFirst() {
            guard let (name, value) = MultipartMixed.field(line), let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        self.response = HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
        let length = fields[.contentLength].flatMap { Int($0) } ?? rest.count
        guard length >= 0, length <= rest.count else { return nil }
        self.body = Array(rest.prefix(length))
    }
}
