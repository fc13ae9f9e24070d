// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes

/// The answer to a part of a batch.
struct BatchAnswer: Sendable {
    let response: HTTPResponse
    let body: [UInt8]

    var status: Int { self.response.status.code }
    var isSuccess: Bool { 200...299 ~= self.status }

    /// Reads `HTTP/1.1 200 OK`, fields, an empty line and a body; nil for anything else.
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
