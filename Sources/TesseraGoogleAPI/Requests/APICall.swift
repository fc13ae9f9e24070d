// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import Tessera
public import TesseraFetch
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
    fileprivate(set) var commonParameters: [(name: String, value: String)] = []

    /// A call.
    public init(_ request: Request, _ service: APIService) {
        self.request = request
        self.service = service
    }

    /// Makes the call.
    ///
    /// - Returns: what the API answered.
    /// - Throws: ``MissingScopeError`` before anything is sent; ``GoogleAPIError`` where the API says no; `ProtocolViolationError` for
    ///   an answer that is none of this method's; `InvalidRequestError`; what the session and the transport throw.
    @discardableResult
    public func execute() async throws -> Request.Response { try await self.answer().value }

    /// Makes the call, for those who want to see the answer's head too.
    ///
    /// - Throws: as ``execute()``.
    public func answer() async throws -> APIAnswer<Request.Response> {
        let message = try self.message()
        let answer = try await self.service.exchange(message, options: self.options)
        return APIAnswer(value: try self.service.decode(answer.body), response: answer.response.head)
    }
}

extension APICall {
    /// The request as HTTP, without token; a GET whose URL is too long for some servers as a POST.
    ///
    /// - Throws: ``MissingScopeError``; `InvalidRequestError` for a parameter of the path that cannot be.
    package func message(
        uploadPath: String? = nil,
        adding parameters: [(name: String, value: String)] = []
    ) throws -> APIMessage {
        try self.service.message(
            for: Request.method,
            self.request.arguments,
            uploadPath: uploadPath,
            parameters: self.commonParameters + parameters,
            headerFields: self.headerFields
        )
    }
}

/// An answer with its head, for what is said there alone.
public struct APIAnswer<Value: Sendable>: Sendable {
    /// What came back.
    public let value: Value
    /// The head.
    public let response: HTTPResponse

    /// The entity tag, for ``APICall/ifMatch(_:)`` and ``APICall/ifNoneMatch(_:)``.
    public var entityTag: String? { self.response.headerFields[.eTag] }
}

extension APICall {
    /// Asks for these fields of the answer alone: `"files(id,name)"`.
    ///
    /// Pages go on all the same: what names the next one is asked for too.
    ///
    /// - SeeAlso: [Partial responses](https://developers.google.com/workspace/drive/api/guides/fields-parameter)
    public func fields(_ selection: FieldSelection) -> Self { self.setting("fields", selection.text) }

    /// Counts the call against the quota of a user of the program's own, named by at most 40 characters.
    public func quotaUser(_ name: String) -> Self { self.setting("quotaUser", name) }

    /// Sets a parameter that generated code does not know.
    public func parameter(_ name: String, _ value: String) -> Self { self.setting(name, value) }

    /// Changes only what still has this entity tag; else the API answers 412.
    public func ifMatch(_ entityTag: String) -> Self {
        var call = self
        call.headerFields[.ifMatch] = entityTag
        return call
    }

    /// Answers only with what has another entity tag; else the API answers 304, a ``GoogleAPIError`` of that status.
    public func ifNoneMatch(_ entityTag: String) -> Self {
        var call = self
        call.headerFields[.ifNoneMatch] = entityTag
        return call
    }

    private func setting(_ name: String, _ value: String) -> Self {
        var call = self
        if let place = call.commonParameters.firstIndex(where: { $0.name == name }) {
            call.commonParameters[place].value = value
        } else {
            call.commonParameters.append((name, value))
        }
        return call
    }
}
