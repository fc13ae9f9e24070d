// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth

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
