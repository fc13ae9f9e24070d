// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
package import Tessera
public import TesseraFetch
public import TesseraJOSE
public import TesseraJSON
public import TesseraOAuth

/// An API, and who calls it how: what a client and all its calls share.
public struct APIService: Sendable {
    /// Each call has a copy of its service: it is one reference, whatever it holds.
    private final class Contents: Sendable {
        let endpoint: APIEndpoint
        let fetcher: AuthorizedFetcher
        let settings: APISettings
        /// A request to the root, which all others are made of; or why it is none.
        let root: Result<HTTPRequest, any Error>
        let isAnonymous: Bool

        init(_ endpoint: APIEndpoint, _ fetcher: AuthorizedFetcher, _ settings: APISettings) {
            self.endpoint = endpoint
            self.fetcher = AuthorizedFetcher(
                fetcher.source,
                runtime: fetcher.runtime,
                settings: fetcher.settings.forGoogle
            )
            self.settings = settings
            let root =
                settings.rootURL
                ?? endpoint.rootURL.replacing("googleapis.com", with: settings.universeDomain, maxReplacements: 1)
            self.root = Result {
                var request = try HTTPRequest(method: .get, url: root.hasSuffix("/") ? root : root + "/")
                request.headerFields = settings.headerFields
                return request
            }
            self.isAnonymous = fetcher.source is KeyAlone
        }
    }

    private let contents: Contents

    /// Creates a service.
    ///
    /// Google's errors replace the fetcher's own. Google's retry rules replace `StandardRetryPolicy`, but not a
    /// caller-supplied policy.
    public init(_ endpoint: APIEndpoint, fetcher: AuthorizedFetcher, settings: APISettings = APISettings()) {
        self.contents = Contents(endpoint, fetcher, settings)
    }

    /// Where it is.
    public var endpoint: APIEndpoint { self.contents.endpoint }
    /// Who calls.
    public var fetcher: AuthorizedFetcher { self.contents.fetcher }
    /// How.
    public var settings: APISettings { self.contents.settings }

    /// Refuses a call that the person's grant does not permit.
    func checkGrant(of method: APIMethod) throws {
        guard self.contents.settings.checksScopes, let session = self.contents.fetcher.source as? OAuthSession else {
            return
        }
        guard method.isPermitted(by: session.grant) else {
            throw MissingScopeError(methodID: method.id, anyOf: method.scopes)
        }
    }

    /// The root's path, with room for what comes behind it.
    func path(reserving capacity: Int = 0) throws -> String {
        var path = try self.contents.root.get().path ?? "/"
        path.reserveCapacity(capacity)
        return path
    }

    /// A request for a path and its query.
    func request(_ method: HTTPRequest.Method, target: String) throws -> HTTPRequest {
        var request = try self.contents.root.get()
        if method != .get { request.method = method }
        request.path = target
        if let key = self.contents.settings.apiKey, let name = HTTPField.Name("X-Goog-Api-Key") {
            request.headerFields.append(key.withUnredacted { HTTPField.sensitive(name, $0) })
        }
        return request
    }

    /// Returns a successful response and its whole body.
    package func exchange(
        _ message: APIMessage,
        options: CallOptions
    ) async throws -> (response: AuthorizedResponse, body: [UInt8]) {
        var options = self.adapted(options)
        if options.isIdempotent == nil { options.isIdempotent = message.isIdempotent }
        return try await self.contents.fetcher.exchange(
            message.request,
            body: message.body.map { HTTPBody($0) },
            upTo: self.contents.settings.maximumAnswerBytes,
            options: options
        )
    }

    /// Sends a request and returns the response, whose body is read as it arrives.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: How the call is made.
    /// - Returns: The response and its body.
    /// - Throws: ``GoogleAPIError`` for a status of 400 or more; what the session and the transport throw.
    public func opened(
        _ request: HTTPRequest,
        options: CallOptions = CallOptions()
    ) async throws -> (response: HTTPResponse, body: HTTPBody) {
        try await self.contents.fetcher.opened(request, options: self.adapted(options))
    }

    /// The options of a call, which has no token where there is a key alone.
    func adapted(_ options: CallOptions) -> CallOptions {
        var options = options
        options.hasToken = !self.contents.isAnonymous
        return options
    }

    /// What was answered, looked through.
    ///
    /// - Throws: `ProtocolViolationError` for what is no JSON, or something else than the API's documents say.
    package func decode<Response: APIValue>(_ body: [UInt8]) throws -> Response {
        // A method without an answer may answer anything.
        if Response.self == NoContent.self, let nothing = NoContent() as? Response { return nothing }
        let value: JSONValue
        do {
            value = try JSONValue(
                parsing: body,
                limits: JSONLimits(maximumBytes: self.contents.settings.maximumAnswerBytes)
            )
        } catch {
            throw ProtocolViolationError(
                .apiAnswer,
                expected: "JSON",
                actual: "\(error)",
                section: "the API's discovery document"
            )
        }
        let isWrapped = self.contents.endpoint.isDataWrapped
        return try Response.received((isWrapped ? value["data"] : nil) ?? value)
    }
}

extension APIService {
    /// Returns the HTTP request of a method, such as one that a discovery document describes.
    ///
    /// A GET whose URL is too long for some servers becomes a POST.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - arguments: Its parameters and body.
    ///   - uploadPath: The path of uploads, for a call that sends a file.
    ///   - parameters: Parameters that every method has, such as `fields` and `uploadType`.
    ///   - headerFields: Fields in addition to those that every call has.
    /// - Returns: The request without a token.
    /// - Throws: ``MissingScopeError``; `InvalidRequestError` for a parameter that cannot be part of a path.
    public func message(
        for method: APIMethod,
        _ arguments: APIArguments,
        uploadPath: String? = nil,
        parameters: [(name: String, value: String)] = [],
        headerFields: HTTPFields = [:]
    ) throws -> APIMessage {
        try self.checkGrant(of: method)
        var path = try self.path(reserving: 256)
        if uploadPath == nil { path += self.endpoint.servicePath }
        let named = try URITemplate(uploadPath ?? method.path)
            .expand(into: &path) { (name) -> String? in arguments.parameters.node(name)?.pathText }
        var target = URLQuery(after: path)
        for member in arguments.parameters.members where !named.contains(member.name) {
            target.add(member.name, member.value)
        }
        for (name, value) in parameters { target.add(name, value) }
        target.add(encoded: "prettyPrint=false")
        var message = APIMessage(
            request: try self.request(method.httpMethod, target: target.text),
            body: arguments.body?.serialized()
        )
        message.request.headerFields[named: "X-Goog-Api-Version"] = method.apiVersion
        message.request.headerFields.append(contentsOf: headerFields)
        if message.body != nil { message.request.headerFields[.contentType] = "application/json; charset=utf-8" }
        return message.shortened()
    }

    /// Sends a request and returns the API's response as JSON.
    ///
    /// - Parameters:
    ///   - message: The request.
    ///   - options: How the call is made.
    /// - Returns: The JSON value; nil for an empty response.
    /// - Throws: As ``APICall/execute()``.
    public func json(for message: APIMessage, options: CallOptions = CallOptions()) async throws -> JSONNode? {
        try self.json(of: try await self.exchange(message, options: options).body)
    }

    /// Returns the JSON value of a response, such as the one to an upload.
    ///
    /// - Parameter body: The body of the response.
    /// - Returns: The JSON value; nil for an empty body.
    /// - Throws: `ProtocolViolationError` for a body that is not JSON.
    public func json(of body: [UInt8]) throws -> JSONNode? { body.isEmpty ? nil : try self.decode(body) }
}

extension JSONNode {
    /// A parameter of the path as text: the first of a list; nil for null.
    fileprivate var pathText: String? {
        if let text = self.stringValue { return text }
        if let elements { return elements.first?.pathText }
        return self.isNull ? nil : self.text()
    }
}

extension ProtocolViolationError.Rule {
    /// An API's answer is no JSON, or has another shape than its documents say.
    public static let apiAnswer = Self(rawValue: "api.answer")
    /// A list names a page that came before.
    public static let apiRepeatedPage = Self(rawValue: "api.repeatedPage")
    /// The answer to a batch cannot be taken apart, or lacks a part.
    public static let apiBatch = Self(rawValue: "api.batch")
}
