// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TesseraOAuth
internal import TesseraSupport

/// A complete request as a value that is independent of its connection.
struct ProviderRequest: Sendable {
    var head: HTTPRequest
    var body: [UInt8]
    /// The route's path parameters, still percent-encoded.
    var pathParameters: [String: String] = [:]

    init(
        _ method: HTTPRequest.Method,
        _ target: String,
        authority: String? = nil,
        headers: HTTPFields = HTTPFields(),
        body: [UInt8] = []
    ) {
        let head = HTTPRequest(method: method, scheme: nil, authority: authority, path: target, headerFields: headers)
        (self.head, self.body) = (head, body)
    }

    /// Creates a request from the head of a routed request.
    init(_ request: Request, _ context: ProviderRequestContext) {
        (self.head, self.body) = (request.head, [])
        for (name, value) in context.parameters { self.pathParameters[String(name)] = String(value) }
    }

    /// Creates a request from a routed request with a body of at most `limit` bytes.
    init(_ request: Request, _ context: ProviderRequestContext, limit: Int) async throws {
        self.init(request, context)
        self.body = try await request.wholeBody(upTo: limit)
    }

    var method: HTTPRequest.Method { self.head.method }
    var headers: HTTPFields { self.head.headerFields }
    /// The path without the query, still percent-encoded.
    var path: String { String((self.head.path ?? "/").prefix { $0 != "?" }) }
    /// The query without the question mark, still percent-encoded.
    var query: String { String((self.head.path ?? "").drop { $0 != "?" }.dropFirst()) }
    var contentType: String? { self.headers[.contentType]?.fieldValue }
    var isForm: Bool { self.contentType == "application/x-www-form-urlencoded" }
    /// The form parameters in the body, or `nil` if the body is not a well-formed form.
    var form: FormParameters? { self.isForm ? try? FormParameters(received: self.body) : nil }

    func parameter(_ name: String) -> String { self.pathParameters[name] ?? "" }

    /// Returns the value of a cookie, or `nil` if it is missing or repeated.
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

extension Request {
    func wholeBody(upTo limit: Int) async throws -> [UInt8] {
        do {
            return Array(try await self.body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw TooLargeBody()
        }
    }
}

private struct TooLargeBody: EndpointFailure {
    var response: ProviderResponse {
        var response = ProviderResponse.text("The body is too large.", status: .contentTooLarge)
        response.headers[.connection] = "close"
        return response
    }
}

extension HTTPFields {
    /// Accesses a header field by name.
    ///
    /// If the text is not a valid field name, reading returns `nil` and writing has no effect.
    subscript(named name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[$0] } }
        set {
            guard let name = HTTPField.Name(name) else { return }
            self[name] = newValue
        }
    }
}

extension FormParameters {
    /// Decodes a query or a form body, ignoring parameters that have no value (RFC 6749, section 3.1).
    init(received text: String) throws(FormDecodingError) {
        self.init()
        for parameter in try FormParameters(decoding: text).parameters where !parameter.value.isEmpty {
            self.append(parameter.name, parameter.value)
        }
    }

    init(received bytes: [UInt8]) throws(FormDecodingError) {
        guard let text = String(wellFormedUTF8: bytes) else { throw .invalidUTF8 }
        try self.init(received: text)
    }

    /// Returns an integer parameter, or `nil` if it is missing.
    func number(_ name: String, in range: ClosedRange<Int>) throws(APIFailure) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let limits = "[\(range.lowerBound), \(range.upperBound)]"
            let text = "Invalid value '\(text.prefix(40))'. Values must be within the range: \(limits)"
            throw .invalid(name, text)
        }
        return number
    }

    /// Returns a Boolean parameter, or false if it is missing.
    func flag(_ name: String) throws(APIFailure) -> Bool {
        switch self[name]?.lowercased() {
        case nil, "false": return false
        case "true": return true
        default: throw .invalid(name)
        }
    }
}
#endif
