// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import Tessera
public import TesseraFetch
internal import TesseraJSON
internal import TesseraOAuth

/// A request together with the service that sends it.
public struct APICall<Request: APIRequest>: Sendable {
    /// The request.
    public var request: Request
    /// The service that sends the request.
    public let service: APIService
    /// The options for the call.
    public var options = CallOptions()
    /// Additional header fields.
    public var headerFields: HTTPFields = [:]
    /// Query parameters common to all methods.
    fileprivate(set) var commonParameters: [(name: String, value: String)] = []

    /// Creates a call.
    public init(_ request: Request, _ service: APIService) {
        self.request = request
        self.service = service
    }

    /// Performs the call.
    ///
    /// - Returns: The API's response.
    /// - Throws: ``MissingScopeError`` before anything is sent if the granted scopes do not permit the call,
    ///   ``GoogleAPIError`` if the API returns an error, `ProtocolViolationError` if the response is not valid for this
    ///   method, `InvalidRequestError` if the request is not valid, or any error that the session or the transport
    ///   throws.
    @discardableResult
    public func execute() async throws -> Request.Response { try await self.response().value }

    /// Performs the call and returns the response together with its head.
    ///
    /// - Throws: Any error that ``execute()`` throws.
    public func response() async throws -> APIResponse<Request.Response> {
        let message = try self.message()
        let response = try await self.service.exchange(message, options: self.options)
        return APIResponse(value: try self.service.decode(response.body), response: response.response.head)
    }
}

extension APICall {
    /// Returns the HTTP request without a token.
    ///
    /// A GET request whose URL is too long is converted to a POST request.
    ///
    /// - Throws: ``MissingScopeError`` if the granted scopes do not permit the call, or `InvalidRequestError` if a
    ///   parameter is not valid in a path.
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

/// A response together with its head.
public struct APIResponse<Value: Sendable>: Sendable {
    /// The decoded response.
    public let value: Value
    /// The head of the HTTP response.
    public let response: HTTPResponse

    /// The entity tag, which you can pass to ``APICall/ifMatch(_:)`` and ``APICall/ifNoneMatch(_:)``.
    public var entityTag: String? { self.response.headerFields[.eTag] }
}

extension APICall {
    /// Returns a call that requests only these fields of the response, such as `"files(id,name)"`.
    ///
    /// For lists, the next page's token is always requested as well.
    ///
    /// - SeeAlso: [Partial responses](https://developers.google.com/workspace/drive/api/guides/fields-parameter)
    public func fields(_ selection: FieldSelection) -> Self { self.setting("fields", selection.text) }

    /// Returns a call that counts against the quota of one of your users, whom you identify by up to 40 characters.
    public func quotaUser(_ name: String) -> Self { self.setting("quotaUser", name) }

    /// Returns a call with a query parameter that the generated code does not know.
    public func parameter(_ name: String, _ value: String) -> Self { self.setting(name, value) }

    /// Returns a call that changes the resource only if it has this entity tag.
    ///
    /// If it does not, the API responds with 412.
    public func ifMatch(_ entityTag: String) -> Self {
        var call = self
        call.headerFields[.ifMatch] = entityTag
        return call
    }

    /// Returns a call that reads the resource only if it has a different entity tag.
    ///
    /// If it does not, the call throws a ``GoogleAPIError`` with status 304.
    public func ifNoneMatch(_ entityTag: String) -> Self {
        var call = self
        call.headerFields[.ifNoneMatch] = entityTag
        return call
    }

    private func setting(_ name: String, _ value: String) -> Self {
        var call = self
        if let location = call.commonParameters.firstIndex(where: { $0.name == name }) {
            call.commonParameters[location].value = value
        } else {
            call.commonParameters.append((name, value))
        }
        return call
    }
}
