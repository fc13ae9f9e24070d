// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraFetch
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

/// A request and the service that it goes to; nothing is sent before ``execute()``.
public struct APICall<Request: APIRequest>: Sendable {
    /// What is sent.
    public var request: Request
    /// Where it goes.
    public let service: APIService
    /// How the call is made.
    public var options = CallOptions()
    /// Fields beside those that every call has.
    public var headerFields: HTTPFields = [:]
    /// Parameters of the query that every method has.
    var commonParameters = APIStorage()

    /// A call.
    public init(_ request: Request, _ service: APIService) {
        self.request = request
        self.service = service
    }

    /// Makes the call.
    ///
    /// - Returns: what the API answered.
    /// - Throws: ``MissingScope`` before anything is sent; ``GoogleAPIError`` where the API says no; `ProtocolViolation` for
    ///   an answer that is none of this method's; `InvalidRequest`; what the session and the transport throw.
    @discardableResult
    public func execute() async throws -> Request.Response { try await self.answer().value }

    /// Makes the call, for those who want to see the answer's head too.
    ///
    /// - Throws: as ``execute()``.
    public func answer() async throws -> APIAnswer<Request.Response> {
        let message = try self.message()
        let (response, body) = try await self.service.exchange(message, options: self.options)
        return APIAnswer(value: try self.service.decode(body), response: response)
    }
}

extension APICall {
    /// The request as HTTP, without token; a GET whose URL is too long for some servers as a POST.
    ///
    /// - Throws: ``MissingScope``; `InvalidRequest` for a parameter of the path that cannot be.
    package func message(uploadPath: String? = nil, query: [(String, String)] = []) throws -> APIMessage {
        let method = Request.method
        try self.service.checkGrant(of: method)
        let parameters = self.request.arguments.parameters
        let template = URITemplate(uploadPath ?? self.service.endpoint.servicePath + method.path)
        let path = try template.expanded { (name) -> String? in parameters.node(name)?.parameterTexts.first }
        let inPath = Set(template.names)
        var pairs: [(String, String)] = []
        for member in parameters.members + self.commonParameters.members where !inPath.contains(member.name) {
            pairs += member.value.parameterTexts.map { (member.name, $0) }
        }
        pairs += query + [("prettyPrint", "false")]
        var message = APIMessage(
            methodID: method.id,
            request: try self.service.request(method.httpMethod, path: path, query: pairs),
            body: self.request.arguments.body?.serialized()
        )
        if let version = method.apiVersion { message.set("X-Goog-Api-Version", version) }
        message.request.headerFields.append(contentsOf: self.headerFields)
        if message.body != nil { message.request.headerFields[.contentType] = "application/json; charset=utf-8" }
        return message.shortened()
    }
}

extension JSONNode {
    /// A parameter's value as text: one for each element of a list; none for null.
    fileprivate var parameterTexts: [String] {
        if let elements { return elements.flatMap(\.parameterTexts) }
        if self.isNull { return [] }
        return [self.stringValue ?? self.text()]
    }
}
