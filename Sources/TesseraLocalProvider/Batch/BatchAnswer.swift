// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJOSE

/// The answers to a batch, in the order of its calls.
struct BatchAnswer: Sendable {
    private(set) var parts: [(contentID: String?, response: EndpointResponse)] = []

    mutating func add(_ response: EndpointResponse, for contentID: String?) {
        self.parts.append((contentID, response))
    }

    /// The whole; it is lost when the answer to one of its calls is.
    func response(boundary: String) -> EndpointResponse {
        var body: [UInt8] = []
        for (contentID, response) in self.parts {
            body += "--\(boundary)\r\nContent-Type: application/http\r\n".utf8
            if let contentID { body += "Content-ID: \(Self.answerID(contentID))\r\n".utf8 }
            body += "\r\nHTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n".utf8
            for field in response.headers { body += "\(field.name): \(field.value)\r\n".utf8 }
            let content = if case .bytes(let bytes) = response.content { bytes } else { [UInt8]() }
            body += "Content-Length: \(content.count)\r\n\r\n".utf8
            body += content
            body += "\r\n".utf8
        }
        body += "--\(boundary)--\r\n".utf8
        var response = EndpointResponse(.ok, content: .bytes(body))
        response.headers[.contentType] = "multipart/mixed; boundary=\(boundary)"
        response.headers[.cacheControl] = "private, no-store"
        response.isLost = self.parts.contains(where: \.response.isLost)
        return response
    }

    /// `<response-` and what stood in the call's angle brackets.
    private static func answerID(_ contentID: String) -> String {
        contentID.hasPrefix("<") ? "<response-" + contentID.dropFirst() : "response-" + contentID
    }
}
#endif
