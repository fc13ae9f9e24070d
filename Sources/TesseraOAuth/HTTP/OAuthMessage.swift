// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraJSON

/// An HTTP request that is ready to be sent.
///
/// The request types in this module create messages.
///
/// - SeeAlso: [RFC 6749, section 3.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.2)
public struct OAuthMessage: Sendable {
    /// The method, URL and header fields.
    public internal(set) var request: HTTPRequest
    /// The body, or nil if the request has no body.
    public let body: [UInt8]?

    /// Creates a message without a body.
    package init(_ request: HTTPRequest) { self.init(request: request, body: nil) }

    package init(request: HTTPRequest, body: [UInt8]?) {
        self.request = request
        self.body = body
    }

    /// Returns a GET request for a URL that has already been validated.
    package static func get(_ url: Endpoint, accept: String = "application/json") -> OAuthMessage {
        OAuthMessage(request: url.request(.get, fields: [.accept: accept]), body: nil)
    }

    /// Returns a POST request with a form.
    static func post(_ form: FormParameters, to url: Endpoint, authorization: Secret? = nil) -> OAuthMessage {
        var fields: HTTPFields = [.accept: "application/json", .contentType: "application/x-www-form-urlencoded"]
        if let authorization {
            fields.append(authorization.withUnredacted { .sensitive(.authorization, $0) })
        }
        return OAuthMessage(request: url.request(.post, fields: fields), body: Array(form.encoded.utf8))
    }

    /// Adds a custom header field.
    ///
    /// - Throws: ``InvalidRequestError`` if the request already has the field, or if the value is not valid in a
    ///   header.
    package mutating func add(_ name: HTTPField.Name, _ value: String) throws {
        guard self.request.headerFields[name] == nil else {
            throw InvalidRequestError(name.rawName, reason: "this header field is set by the library")
        }
        guard HTTPField.isValidValue(value) else {
            throw InvalidRequestError(name.rawName, reason: "the value is not valid in a header")
        }
        self.request.headerFields[name] = value
    }
}

extension OAuthMessage: Redacted {
    /// A description that contains the method and the URL but not the header and the body, which may contain secrets.
    public var description: String {
        "\(self.request.method) \(self.request.scheme ?? "")://\(self.request.authority ?? "")\(self.request.path ?? "")"
    }
}

extension HTTPField {
    /// Returns a header field that HTTP/2 compression does not index.
    ///
    /// The description of the field still contains the value, so never print a request.
    package static func sensitive(_ name: HTTPField.Name, _ value: String) -> HTTPField {
        var field = HTTPField(name: name, value: value)
        field.indexingStrategy = .disallow
        return field
    }
}

extension HTTPField.Name {
    /// The header field that contains a proof of possession of a DPoP key.
    package static let dpop = Self(known: "DPoP")
    /// The header field that contains the nonce for the next DPoP proof.
    package static let dpopNonce = Self(known: "DPoP-Nonce")

    /// Creates a field name from a literal that is known to be valid.
    package init(known name: StaticString) {
        guard let known = Self("\(name)") else { preconditionFailure("\(name) is not the name of a header field") }
        self = known
    }
}
