// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
package import Tessera
public import TesseraFetch
internal import TesseraGoogle
public import TesseraJOSE
public import TesseraJSON
public import TesseraOAuth

/// Sends calls to an API.
///
/// A client shares its service with all of its calls.
public struct APIService: Sendable {
    /// The service's contents, stored in a single reference because each call copies the service.
    private final class Contents: Sendable {
        let endpoint: APIEndpoint
        let fetcher: AuthorizedFetcher
        let settings: APISettings
        /// The request for the root URL, on which all other requests are based, or the error for an invalid URL.
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
            self.isAnonymous = fetcher.source is NoTokenSource
        }
    }

    private let contents: Contents

    /// Creates a service.
    ///
    /// Google's errors replace the fetcher's. Google's retry rules replace `StandardRetryPolicy` but not a custom
    /// policy.
    public init(_ endpoint: APIEndpoint, fetcher: AuthorizedFetcher, settings: APISettings = APISettings()) {
        self.contents = Contents(endpoint, fetcher, settings)
    }

    /// The API's endpoint.
    public var endpoint: APIEndpoint { self.contents.endpoint }
    /// The fetcher that sends the requests.
    public var fetcher: AuthorizedFetcher { self.contents.fetcher }
    /// The settings for calls to the API.
    public var settings: APISettings { self.contents.settings }

    /// Throws an error if the granted scopes do not permit a method.
    func checkGrant(of method: APIMethod) throws {
        guard self.contents.settings.checksScopes, let session = self.contents.fetcher.source as? OAuthSession else {
            return
        }
        guard method.isPermitted(by: session.grantedScopes) else {
            throw MissingScopeError(methodID: method.id, anyOf: method.scopes)
        }
    }

    /// Throws an error if the credentials belong to another universe than the API.
    ///
    /// A custom root URL is not part of a universe.
    func checkUniverse() async throws {
        guard let credentials = self.contents.fetcher.source as? GoogleCredentials, self.settings.rootURL == nil else {
            return
        }
        let universe = try await credentials.universeDomain()
        guard universe == self.settings.universeDomain else {
            throw GoogleCredentialsError(
                .universeMismatch,
                reason: "the credentials belong to the universe \(UntrustedText.printable(universe)), but the API to "
                    + self.settings.universeDomain
            )
        }
    }

    /// Returns the root URL's path, with capacity reserved for the rest of the path.
    func path(reserving capacity: Int = 0) throws -> String {
        var path = try self.contents.root.get().path ?? "/"
        path.reserveCapacity(capacity)
        return path
    }

    /// Returns a request for a path with its query.
    func request(_ method: HTTPRequest.Method, target: String) throws -> HTTPRequest {
        var request = try self.contents.root.get()
        if method != .get { request.method = method }
        request.path = target
        if let key = self.contents.settings.apiKey, let name = HTTPField.Name("X-Goog-Api-Key") {
            request.headerFields.append(key.withUnredacted { HTTPField.sensitive(name, $0) })
        }
        return request
    }

    /// Returns a successful response and its complete body.
    package func exchange(
        _ message: APIMessage,
        options: CallOptions
    ) async throws -> (response: AuthorizedResponse, body: [UInt8]) {
        try await self.checkUniverse()
        let message = message.shortened()
        var options = self.adapted(options)
        if options.isIdempotent == nil { options.isIdempotent = message.isIdempotent }
        return try await self.contents.fetcher.exchange(
            message.request,
            body: message.body.map { HTTPBody($0) },
            upTo: self.contents.settings.maximumResponseBytes,
            options: options
        )
    }

    /// Sends a request and returns the response with a body that is read as it arrives.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: The options of the call.
    /// - Returns: The response and its body.
    /// - Throws: ``GoogleAPIError`` for a status of 400 or higher, or any error that the session or the transport
    ///   throws.
    public func opened(
        _ request: HTTPRequest,
        options: CallOptions = CallOptions()
    ) async throws -> (response: HTTPResponse, body: HTTPBody) {
        try await self.checkUniverse()
        return try await self.contents.fetcher.opened(request, options: self.adapted(options))
    }

    /// Returns options that disable the token if the client uses only an API key.
    func adapted(_ options: CallOptions) -> CallOptions {
        var options = options
        options.hasToken = !self.contents.isAnonymous
        return options
    }

    /// Validates and decodes a response body.
    ///
    /// - Throws: `ProtocolViolationError` if the body is not JSON or does not match the API's documentation.
    package func decode<Response: APIValue>(_ body: [UInt8]) throws -> Response {
        // A method without a response type may return any body.
        if Response.self == NoContent.self, let nothing = NoContent() as? Response { return nothing }
        let value: JSONValue
        do {
            value = try JSONValue(
                parsing: body,
                limits: JSONLimits(maximumBytes: self.contents.settings.maximumResponseBytes)
            )
        } catch {
            throw ProtocolViolationError(
                .apiResponse,
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
    /// Returns the HTTP request for a method, such as one described in a discovery document.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - arguments: The method's parameters and body.
    ///   - uploadPath: The path of the upload endpoint, for a call that uploads a file.
    ///   - parameters: Query parameters common to all methods, such as `fields` and `uploadType`.
    ///   - headerFields: Additional header fields.
    /// - Returns: The request without a token.
    /// - Throws: ``MissingScopeError`` if the granted scopes do not permit the method, or `InvalidRequestError` if a
    ///   parameter is not valid in a path.
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
        return message
    }

    /// Sends a request and returns the API's response as JSON.
    ///
    /// A GET request whose URL is too long for some servers is sent as a POST request.
    ///
    /// - Parameters:
    ///   - message: The request.
    ///   - options: The options for the call.
    /// - Returns: The JSON value, or nil for an empty response.
    /// - Throws: Any error that ``APICall/execute()`` throws.
    public func json(for message: APIMessage, options: CallOptions = CallOptions()) async throws -> JSONNode? {
        try self.json(of: try await self.exchange(message, options: options).body)
    }

    /// Returns a response body, such as that of an upload, as JSON.
    ///
    /// - Parameter body: The body of the response.
    /// - Returns: The JSON value, or nil for an empty body.
    /// - Throws: `ProtocolViolationError` if the body is not JSON.
    public func json(of body: [UInt8]) throws -> JSONNode? { body.isEmpty ? nil : try self.decode(body) }
}

extension JSONNode {
    /// The text of a path parameter, which is the first element if the value is an array, or nil if the value is null.
    fileprivate var pathText: String? {
        if let text = self.stringValue { return text }
        if let elements { return elements.first?.pathText }
        return self.isNull ? nil : self.text()
    }
}

extension ProtocolViolationError.Rule {
    /// A response that is not JSON or does not match the API's documentation.
    public static let apiResponse = Self(rawValue: "api.answer")
    /// A list that returns the same page twice.
    public static let apiRepeatedPage = Self(rawValue: "api.repeatedPage")
    /// A batch response that cannot be parsed or is incomplete.
    public static let apiBatch = Self(rawValue: "api.batch")
}
