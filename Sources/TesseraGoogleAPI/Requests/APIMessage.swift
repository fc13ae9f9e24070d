// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraOAuth

/// The HTTP request for a call, without the token.
public struct APIMessage: Sendable {
    /// The maximum length of a URL.
    ///
    /// Some of Google's servers reject longer ones.
    private static let longestURL = 2_048

    /// The request without `Authorization`.
    public var request: HTTPRequest
    /// The request body, if there is one.
    public var body: [UInt8]?
    /// Whether the request is idempotent, or nil to infer this from its method and header fields.
    var isIdempotent: Bool?

    /// Returns an equivalent POST request if this is a GET request whose URL is too long.
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
    /// The header field with this name, which must be a valid name.
    subscript(named name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[$0] } }
        set { if let name = HTTPField.Name(name) { self[name] = newValue } }
    }
}
