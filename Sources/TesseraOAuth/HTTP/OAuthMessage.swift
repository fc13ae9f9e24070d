// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraJSON

/// A request that is ready to be sent: its head and its body.
///
/// Made by the pure request types of this module.
///
/// - SeeAlso: [RFC 6749, section 3.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.2)
public struct OAuthMessage: Sendable {
    /// Method, URL and header fields.
    public internal(set) var request: HTTPRequest
    /// The body, nil for none.
    public let body: [UInt8]?

    /// Creates a message without a body.
    package init(_ request: HTTPRequest) { self.init(request: request, body: nil) }

    init(request: HTTPRequest, body: [UInt8]?) {
        self.request = request
        self.body = body
    }

    /// A GET of a URL that was checked before, asking for JSON.
    package static func get(_ url: Endpoint, accept: String = "application/json") -> OAuthMessage {
        OAuthMessage(request: url.request(.get, fields: [.accept: accept]), body: nil)
    }

    /// A POST of a form.
    static func post(_ form: FormParameters, to url: Endpoint, authorization: Secret? = nil) -> OAuthMessage {
        var fields: HTTPFields = [.accept: "application/json", .contentType: "application/x-www-form-urlencoded"]
        if let authorization {
            fields.append(authorization.withUnredacted { .sensitive(.authorization, $0) })
        }
        return OAuthMessage(request: url.request(.post, fields: fields), body: Array(form.encoded.utf8))
    }

    /// Adds a header field of the caller's.
    ///
    /// - Throws: ``InvalidRequestError`` for a field that the request has already, and for a value that no header can have.
    package mutating func add(_ name: HTTPField.Name, _ value: String) throws {
        guard self.request.headerFields[name] == nil else {
            throw InvalidRequestError(name.rawName, reason: "this header field is written by the request itself")
        }
        guard HTTPField.isValidValue(value) else {
            throw InvalidRequestError(name.rawName, reason: "no header can be this")
        }
        self.request.headerFields[name] = value
    }
}

extension OAuthMessage: Redacted {
    /// Only method and URL: the header and the body hold tokens and secrets, the URL never does.
    public var description: String {
        "\(self.request.method) \(self.request.scheme ?? "")://\(self.request.authority ?? "")\(self.request.path ?? "")"
    }
}

extension HTTPField {
    /// A field that HTTP/2's compression does not index.
    ///
    /// Its description shows it all the same: never print a request.
    package static func sensitive(_ name: HTTPField.Name, _ value: String) -> HTTPField {
        var field = HTTPField(name: name, value: value)
        field.indexingStrategy = .disallow
        return field
    }
}

extension HTTPField.Name {
    /// The proof of possession of a DPoP key.
    package static let dpop = Self(known: "DPoP")
    /// The nonce for the next proof.
    package static let dpopNonce = Self(known: "DPoP-Nonce")

    /// Creates the name of a field that the library itself names.
    package init(known name: StaticString) {
        guard let known = Self("\(name)") else { preconditionFailure("\(name) is not the name of a header field") }
        self = known
    }
}
