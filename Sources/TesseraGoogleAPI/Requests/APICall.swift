// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraFetch
internal import Tessera
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
        let answer = try await self.service.exchange(message, options: self.options)
        return APIAnswer(value: try self.service.decode(answer.body), response: answer.response.head)
    }
}

extension APICall {
    /// The request as HTTP, without token; a GET whose URL is too long for some servers as a POST.
    ///
    /// - Throws: ``MissingScope``; `InvalidRequest` for a parameter of the path that cannot be.
    package func message(uploadPath: String? = nil, query: URLQuery = [:]) throws -> APIMessage {
        var common = URLQuery()
        for member in self.commonParameters.members { common.add(member.name, member.value) }
        common += query
        return try self.service.message(
            Request.method,
            self.request.arguments,
            uploadPath: uploadPath,
            query: common,
            headerFields: self.headerFields
        )
    }
}
