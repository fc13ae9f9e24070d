// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

/// One request as the endpoints see it: values only, whole, no connection behind it but that of an upload.
struct EndpointRequest: Sendable {
    var method: HTTPRequest.Method
    /// The path as it was sent, without the query; still percent-encoded.
    var path: String
    /// The query as it was sent, without the question mark.
    var query: String
    /// The host and port that the client believes it talks to.
    var authority: String?
    var headers: HTTPFields
    var body: [UInt8]
    /// The body that still arrives, for an upload session; ``body`` is empty then.
    var upload: UploadBody?

    init(
        _ method: HTTPRequest.Method,
        _ target: String,
        authority: String? = nil,
        headers: HTTPFields = HTTPFields(),
        body: [UInt8] = []
    ) {
        self.method = method
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.path = parts.first.map(String.init) ?? "/"
        self.query = parts.count > 1 ? String(parts[1]) : ""
        self.authority = authority
        self.headers = headers
        self.body = body
    }

    /// The media type of the body in lower case, without parameters.
    var contentType: String? {
        self.headers[.contentType]?.split(separator: ";", omittingEmptySubsequences: false).first
            .map { $0.trimmed.lowercased() }
    }

    /// The request that is meant: one whose address would be too long comes as a form, with its method in a field.
    var unfolded: EndpointRequest {
        guard self.method == .post, self.headers[named: "X-HTTP-Method-Override"]?.uppercased() == "GET",
            self.contentType == "application/x-www-form-urlencoded", self.query.isEmpty
        else { return self }
        var request = self
        request.method = .get
        request.query = String(decoding: self.body, as: UTF8.self)
        request.body = []
        return request
    }

    /// The value of a cookie; nil when there is none, or more than one of that name.
    func cookie(_ name: String) -> String? {
        let found = self.headers[values: .cookie]
            .flatMap { $0.split(separator: ";") }
            .compactMap { pair -> String? in
                let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard sides.count == 2, sides[0].trimmed == name else { return nil }
                return sides[1].trimmed
            }
        return found.count == 1 ? found.first : nil
    }
}

extension HTTPFields {
    /// A field by the text of its name; a text that cannot be a name reads as nil and writes nothing.
    subscript(named name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[$0] } }
        set {
            guard let name = HTTPField.Name(name) else { return }
            self[name] = newValue
        }
    }
}
#endif
