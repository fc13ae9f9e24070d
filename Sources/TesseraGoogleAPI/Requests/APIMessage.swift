// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraOAuth

/// The HTTP request of a call, before it gets its token.
public struct APIMessage: Sendable {
    /// Longer URLs are refused by some of Google's servers.
    private static let longestURL = 2_048

    /// The request without `Authorization`.
    public var request: HTTPRequest
    /// The body; nil for none.
    public var body: [UInt8]?
    /// Nil for what the request's method says.
    var isIdempotent: Bool?

    /// A GET whose URL is too long, as a POST that means the same.
    func shortened() -> Self {
        guard self.request.method == .get, let path = self.request.path, path.utf8.count > Self.longestURL,
            let mark = path.firstIndex(of: "?")
        else { return self }
        var message = self
        message.request.method = .post
        message.request.path = String(path[..<mark])
        message.request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        message.request.headerFields[named: "X-HTTP-Method-Override"] = "GET"
        message.body = Array(path[path.index(after: mark)...].utf8)
        message.isIdempotent = true
        return message
    }
}

extension HTTPFields {
    /// The field with this name, which has to be a valid one.
    subscript(named name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[$0] } }
        set { if let name = HTTPField.Name(name) { self[name] = newValue } }
    }
}
