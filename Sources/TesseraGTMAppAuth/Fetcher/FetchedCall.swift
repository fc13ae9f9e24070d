// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth

/// A response as a fetcher stores it.
struct FetchedAnswer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: Data

    /// The error of a status outside 200…299.
    var error: (any Error)? {
        guard !(200...299).contains(self.status) else { return nil }
        var userInfo: [String: Any] = [kGTMSessionFetcherStatusDataKey: self.body]
        userInfo[kGTMSessionFetcherStatusDataContentTypeKey] = self.headers["Content-Type"]
        userInfo[NSLocalizedDescriptionKey] = "The server answered \(self.status)."
        return NSError(domain: kGTMSessionFetcherStatusDomain, code: self.status, userInfo: userInfo)
    }
}

/// A fetcher's call, sent by Tessera's send loop.
struct FetchedCall: Sendable {
    /// The most bytes that a response may have: it is held in memory.
    private static let limit = 256 << 20

    private let settings: GTMSessionFetcher.Settings
    private let url: String
    private let body: HTTPBody?

    /// - Throws: errors of `kGTMSessionFetcherErrorDomain`.
    init(_ settings: GTMSessionFetcher.Settings) throws {
        guard let url = settings.request.url?.absoluteString, let parts = URIParts(url), parts.host?.isEmpty == false
        else {
            throw Self.error(.taskCreationFailed, "There is no URL that could be called.")
        }
        guard parts.isSecure(permitting: settings.allowsLocalhost ? .loopbackHTTP : []) else {
            throw Self.error(.insecureRequest, "The URL is not https; see allowLocalhostRequest.")
        }
        self.settings = settings
        self.url = url
        self.body = settings.request.httpBody.map { HTTPBody(Array($0)) }
    }

    func answer() async throws -> FetchedAnswer {
        let (head, body) = try await self.response()
        return FetchedAnswer(
            status: head.status.code,
            headers: Dictionary(head.headerFields.map { ($0.name.rawName, $0.value) }) { $0 + ", " + $1 },
            body: Data(try await body.collect(upTo: Self.limit))
        )
    }

    private func response() async throws -> (HTTPResponse, HTTPBody) {
        let request = self.settings.request
        guard let session = self.settings.authorizer as? AuthSession else { return try await self.ownResponse() }
        do {
            let response = try await session.source.environment().runtime.transport
                .send(
                    self.message(request),
                    body: self.body,
                    authorizedBy: session,
                    within: session.shouldAuthorizeAllRequests ? nil : session.authorizedOrigins,
                    following: .sameOrigin
                )
            return (response.head, response.body)
        } catch is UnauthorizedOriginError {
            throw AuthSession.Error.cannotAuthorizeRequest(request)
        } catch let error as TokenUnavailable {
            throw await session.reported(error.cause)
        }
    }

    /// The response to a request that the program's own authorizer, if any, adds its fields to.
    private func ownResponse() async throws -> (HTTPResponse, HTTPBody) {
        let transport = try AppAuthEnvironment.current().runtime.transport
        guard let authorizer = self.settings.authorizer else {
            return try await transport.send(self.message(self.settings.request), body: self.body)
        }
        let request = try await authorizer.added(to: self.settings.request)
        let response = try await transport.send(self.message(request), body: self.body)
        guard response.0.status == .unauthorized, authorizer.primeForRefresh() else { return response }
        let renewed = try await authorizer.added(to: self.settings.request)
        return try await transport.send(self.message(renewed), body: self.body)
    }

    private func message(_ request: URLRequest) throws -> HTTPRequest {
        guard let method = HTTPRequest.Method(request.httpMethod ?? "GET") else {
            throw Self.error(.taskCreationFailed, "The method is none of HTTP's.")
        }
        var message = try HTTPRequest(method: method, url: self.url)
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            guard let name = HTTPField.Name(name) else { continue }
            message.headerFields[name] = value
        }
        return message
    }

    /// The error with the ancestors' domains for what came from below.
    static func mapped(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError: URLError(.cancelled)
        case let error as TransportError:
            URLError(Self.code(of: error), userInfo: [NSLocalizedDescriptionKey: error.description])
        default: error
        }
    }

    private static func code(of error: TransportError) -> URLError.Code {
        switch error {
        case TransportError.Code.timedOut: .timedOut
        case TransportError.Code.nameResolution: .cannotFindHost
        case TransportError.Code.cannotConnect, TransportError.Code.unusableProxy: .cannotConnectToHost
        case TransportError.Code.tls: .secureConnectionFailed
        case TransportError.Code.bodyTooLarge: .dataLengthExceedsMaximum
        case TransportError.Code.invalidResponse: .badServerResponse
        default: .networkConnectionLost
        }
    }

    /// The error of a fetcher that is told to begin a second call during the first.
    static var isFetching: NSError { Self.error(.taskCreationFailed, "This fetcher is fetching already.") }

    private static func error(_ code: GTMSessionFetcherError, _ description: String) -> NSError {
        NSError(
            domain: kGTMSessionFetcherErrorDomain,
            code: code.rawValue,
            userInfo: [NSLocalizedDescriptionKey: description]
        )
    }
}

extension GTMSessionFetcherAuthorizer {
    /// A request with what this adds to it.
    fileprivate func added(to request: URLRequest) async throws -> URLRequest {
        let request = NSMutableURLRequest.bridged(request)
        try await self.authorizeRequest(request)
        return URLRequest._unconditionallyBridgeFromObjectiveC(request)
    }
}

extension NSMutableURLRequest {
    fileprivate static func bridged(_ request: URLRequest) -> NSMutableURLRequest {
        let copy = request._bridgeToObjectiveC().mutableCopy() as? NSMutableURLRequest
        return copy ?? NSMutableURLRequest(url: request.url ?? URL(filePath: "/"))
    }
}

/// The domain of fetchers' errors whose number is an HTTP status.
public let kGTMSessionFetcherStatusDomain = "com.google.HTTPStatus"
/// Of such an error: the response's body, as `Data`.
public let kGTMSessionFetcherStatusDataKey = "data"
/// Of such an error: the body's `Content-Type`.
public let kGTMSessionFetcherStatusDataContentTypeKey = "data_content_type"
/// The domain of fetchers' own errors, whose numbers are those of `GTMSessionFetcherError`.
public let kGTMSessionFetcherErrorDomain = "com.google.GTMSessionFetcher"

/// Fetchers' own errors, as far as an authorized call has them.
public enum GTMSessionFetcherError: Int, Sendable {
    /// The URL is not https, and plain http is not allowed.
    case insecureRequest = -5
    /// There is no URL, or none that can be called.
    case taskCreationFailed = -6
}
