// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth
internal import TesseraSupport

/// A transport that returns scripted responses and records every request, without a socket.
///
/// ```swift
/// let transport = ScriptedTransport([.json(#"{"access_token": "a", "token_type": "Bearer"}"#), .status(.noContent)])
/// ```
public final class ScriptedTransport: HTTPTransport {
    /// A function that returns the response to a request or throws a network error.
    public typealias Script = @Sendable (_ request: RecordedRequest) async throws -> ScriptedResponse

    private let script: Script
    private let recorded = Mutex<[RecordedRequest]>([])

    /// Creates a transport that calls `script` for each request.
    public init(_ script: @escaping Script) { self.script = script }

    /// Creates a transport that returns the responses in order and then throws `TransportError` with the code
    /// `cannotConnect`.
    public convenience init(_ responses: [ScriptedResponse]) {
        let rest = Mutex(responses[...])
        self.init { _ in
            guard let response = rest.withLock({ $0.popFirst() }) else { throw TransportError(.cannotConnect) }
            return response
        }
    }

    /// All requests so far, in order of arrival.
    public var requests: [RecordedRequest] { self.recorded.withLock { $0 } }

    /// Records a request and returns the scripted response.
    ///
    /// - Throws: Any error that the script throws, or `CancellationError`.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try Task.checkCancellation()
        let bytes = try await body?.collect(upTo: .max) ?? []
        let recorded = RecordedRequest(head: request, body: bytes)
        self.recorded.withLock { $0.append(recorded) }
        let response = try await self.script(recorded)
        try Task.checkCancellation()
        return (response.head, response.body)
    }
}

/// A response that a ``ScriptedTransport`` returns.
public struct ScriptedResponse: Sendable {
    /// The status and the header fields.
    public var head: HTTPResponse
    /// The response body.
    public var body: HTTPBody

    /// Creates a response.
    public init(_ head: HTTPResponse, body: HTTPBody = HTTPBody([])) {
        self.head = head
        self.body = body
    }

    /// Returns a response with an `application/json` body, which does not have to be valid JSON.
    public static func json(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        headerFields: HTTPFields = [:]
    ) -> ScriptedResponse {
        var fields = headerFields
        if fields[.contentType] == nil { fields[.contentType] = "application/json" }
        return ScriptedResponse(HTTPResponse(status: status, headerFields: fields), body: HTTPBody(text))
    }

    /// Returns a response without a body.
    public static func status(_ status: HTTPResponse.Status, headerFields: HTTPFields = [:]) -> ScriptedResponse {
        ScriptedResponse(HTTPResponse(status: status, headerFields: headerFields))
    }
}

/// A request that was recorded by a scripted transport or server.
///
/// The request contains everything that was sent, including secrets. Use it only in tests.
public struct RecordedRequest: Sendable, Hashable {
    /// The method, the URL components and the header fields.
    public let head: HTTPRequest
    /// The complete body, or an empty array if the request had no body.
    public let body: [UInt8]

    /// Creates a request with a body.
    public init(head: HTTPRequest, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    /// The complete URL.
    public var url: String {
        "\(self.head.scheme ?? "")://\(self.head.authority ?? "")\(self.head.path ?? "")"
    }
    /// The path of the URL without its query.
    public var path: String { String((self.head.path ?? "").prefix { $0 != "?" }) }
    /// The body as text.
    public var text: String { String(decoding: self.body, as: UTF8.self) }
    /// The form parameters in the body, in the order in which they were sent.
    public var form: [FormParameter] { FormParameter.parse(self.text) }
    /// The query parameters, in the order in which they were sent.
    public var query: [FormParameter] {
        let parts = (self.head.path ?? "").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? FormParameter.parse(String(parts[1])) : []
    }

    /// Returns the value of a form parameter, or `nil` if it is missing or repeated.
    public func formValue(_ name: String) -> String? {
        let values = self.form.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }
}

/// A form or query parameter with its decoded name and value.
public struct FormParameter: Sendable, Hashable {
    /// The decoded name.
    public let name: String
    /// The decoded value, or an empty string if there was no equals sign.
    public let value: String

    /// Creates a form or query parameter.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Returns the parameters in form-encoded text, where `+` is a space and percent escapes are UTF-8 bytes.
    public static func parse(_ text: String) -> [FormParameter] {
        text.utf8.split(separator: UInt8(ascii: "&"))
            .map { pair in
                let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                return FormParameter(name: Self.decode(parts[0]), value: parts.count == 2 ? Self.decode(parts[1]) : "")
            }
    }

    private static func decode(_ text: Substring.UTF8View) -> String {
        String(decoding: PercentEncoding.decode(text, plusIsSpace: true) ?? [], as: UTF8.self)
    }
}
