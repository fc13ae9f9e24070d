// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth
internal import TesseraSupport

/// A network that answers from a script and remembers every request: no socket, no time.
///
/// ```swift
/// let transport = ScriptedTransport([.json(#"{"access_token": "a", "token_type": "Bearer"}"#), .status(.noContent)])
/// ```
public final class ScriptedTransport: HTTPTransport {
    /// Makes an answer, or throws what the network should throw.
    public typealias Script = @Sendable (_ request: RecordedRequest) async throws -> ScriptedAnswer

    private let script: Script
    private let recorded = Mutex<[RecordedRequest]>([])

    /// A network that asks `script` for each answer.
    public init(_ script: @escaping Script) { self.script = script }

    /// A network that gives these answers, one after the other, then none: `TransportError` `cannotConnect`.
    public convenience init(_ answers: [ScriptedAnswer]) {
        let rest = Mutex(answers[...])
        self.init { _ in
            guard let answer = rest.withLock({ $0.popFirst() }) else { throw TransportError(.cannotConnect) }
            return answer
        }
    }

    /// Every request so far, in the order of their arrival.
    public var requests: [RecordedRequest] { self.recorded.withLock { $0 } }

    /// Records the request and gives the script's answer.
    ///
    /// - Throws: what the script throws, and `CancellationError`.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try Task.checkCancellation()
        let bytes = try await body?.collect(upTo: .max) ?? []
        let recorded = RecordedRequest(head: request, body: bytes)
        self.recorded.withLock { $0.append(recorded) }
        let answer = try await self.script(recorded)
        try Task.checkCancellation()
        return (answer.head, answer.body)
    }
}

/// What a ``ScriptedTransport`` answers.
public struct ScriptedAnswer: Sendable {
    /// The status and the fields.
    public var head: HTTPResponse
    /// The body.
    public var body: HTTPBody

    /// A response.
    public init(_ head: HTTPResponse, body: HTTPBody = HTTPBody([])) {
        self.head = head
        self.body = body
    }

    /// A response with an `application/json` body, which need not be valid JSON.
    public static func json(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        headerFields: HTTPFields = [:]
    ) -> ScriptedAnswer {
        var fields = headerFields
        if fields[.contentType] == nil { fields[.contentType] = "application/json" }
        return ScriptedAnswer(HTTPResponse(status: status, headerFields: fields), body: HTTPBody(text))
    }

    /// A response without a body.
    public static func status(_ status: HTTPResponse.Status, headerFields: HTTPFields = [:]) -> ScriptedAnswer {
        ScriptedAnswer(HTTPResponse(status: status, headerFields: headerFields))
    }
}

/// A request as a scripted network saw it.
///
/// It shows everything that was sent, secrets too: for tests only.
public struct RecordedRequest: Sendable, Hashable {
    /// The method, the URL's parts and the fields.
    public let head: HTTPRequest
    /// The whole body; empty where there was none.
    public let body: [UInt8]

    /// A request with its body.
    public init(head: HTTPRequest, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    /// The whole URL.
    public var url: String {
        "\(self.head.scheme ?? "")://\(self.head.authority ?? "")\(self.head.path ?? "")"
    }
    /// The URL's path without its query.
    public var path: String { String((self.head.path ?? "").prefix { $0 != "?" }) }
    /// The body as text.
    public var text: String { String(decoding: self.body, as: UTF8.self) }
    /// The body's form parameters in the order sent.
    public var form: [FormParameter] { FormParameter.parse(self.text) }
    /// The query's parameters in the order sent.
    public var query: [FormParameter] {
        let parts = (self.head.path ?? "").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? FormParameter.parse(String(parts[1])) : []
    }

    /// The value of the form parameter of that name; nil when it is absent or there more than once.
    public func formValue(_ name: String) -> String? {
        let values = self.form.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }
}

/// A name and a value of a form or a query, decoded.
public struct FormParameter: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The value; empty where there was no equals sign.
    public let value: String

    /// A parameter.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// The parameters of a text in the form encoding: `+` is a space, percent escapes are bytes of UTF-8.
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
