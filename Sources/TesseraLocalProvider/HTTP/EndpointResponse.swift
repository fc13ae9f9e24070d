// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON

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
    /// Whether the connection ends in the middle of the body: a test switch.
    var isCut = false
    /// After how many bytes of the body the connection ends: a test switch.
    var cutLength: Int64?
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

    /// A JSON answer that no cache may keep.
    static func json(_ node: JSONNode, status: HTTPResponse.Status = .ok) -> Self {
        var response = Self(status, content: .bytes(node.serialized(pretty: true)))
        response.headers[.contentType] = "application/json; charset=utf-8"
        response.headers[.cacheControl] = "no-store"
        response.headers[named: "Pragma"] = "no-cache"
        return response
    }

    /// A plain text answer.
    static func text(_ text: String, status: HTTPResponse.Status) -> Self {
        var response = Self(status, content: .bytes(Array((text + "\n").utf8)))
        response.headers[.contentType] = "text/plain; charset=utf-8"
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// Sends the browser to another address; 303 after a form, so that the form is not sent again.
    static func redirect(to location: String, after method: HTTPRequest.Method) -> Self {
        var response = Self(method == .post ? .seeOther : .found)
        response.headers[.location] = location
        response.headers[.cacheControl] = "no-store"
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
#endif
