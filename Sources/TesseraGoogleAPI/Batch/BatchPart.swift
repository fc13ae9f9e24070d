// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraFetch
internal import TesseraOAuth

/// A call within a batch.
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

    /// The call as the text of a part, without its own token: the batch's serves all.
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
