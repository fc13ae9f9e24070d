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

/// A response as stored by a fetcher, with its body in memory.
struct FetchedResponse: Sendable {
    let status: Int
    let headers: [String: String]
    let body: Data

    /// The error for a status outside 200…299.
    var error: (any Error)? {
        guard !(200...299).contains(self.status) else { return nil }
        var userInfo: [String: Any] = [kGTMSessionFetcherStatusDataKey: self.body]
        userInfo[kGTMSessionFetcherStatusDataContentTypeKey] = self.headers["Content-Type"]
        userInfo[NSLocalizedDescriptionKey] = "The server responded with status \(self.status)."
        return NSError(domain: kGTMSessionFetcherStatusDomain, code: self.status, userInfo: userInfo)
    }
}

/// A fetcher's request, which Tessera authorizes and sends.
struct FetcherRequest: Sendable {
    /// The maximum size of a response body, which is held in memory.
    private static let limit = 256 << 20

    private let settings: GTMSessionFetcher.Settings
    private let url: String
    private let body: HTTPBody?

    /// - Throws: An error in `kGTMSessionFetcherErrorDomain` if the request cannot be sent.
    init(_ settings: GTMSessionFetcher.Settings) throws {
        guard let url = settings.request.url?.absoluteString, let parts = URIParts(url), parts.host?.isEmpty == false
        else {
            throw Self.error(.taskCreationFailed, "The request has no valid URL.")
        }
        guard parts.isSecure(insecure: settings.allowsLocalhost ? .loopbackHTTP : []) else {
            throw Self.error(.insecureRequest, "The URL is not https. Use https, or set allowLocalhostRequest.")
        }
        self.settings = settings
        self.url = url
        self.body = settings.request.httpBody.map { HTTPBody(Array($0)) }
    }

    func response() async throws -> FetchedResponse {
        let (head, body) = try await self.response()
        return FetchedResponse(
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

    /// Sends a request without Tessera's authorization, using the app's custom authorizer if there is one.
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
            throw Self.error(.taskCreationFailed, "The HTTP method is invalid.")
        }
        var message = try HTTPRequest(method: method, url: self.url)
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            guard let name = HTTPField.Name(name) else { continue }
            message.headerFields[name] = value
        }
        return message
    }

    /// Maps an error to one of the domains that GTMSessionFetcher uses.
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

    /// The error for starting a fetcher that is already fetching.
    static var isFetching: NSError { Self.error(.taskCreationFailed, "The fetcher is already fetching.") }

    private static func error(_ code: GTMSessionFetcherError, _ description: String) -> NSError {
        NSError(
            domain: kGTMSessionFetcherErrorDomain,
            code: code.rawValue,
            userInfo: [NSLocalizedDescriptionKey: description]
        )
    }
}

extension GTMSessionFetcherAuthorizer {
    /// Returns a request with the authorizer's header fields.
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

/// The domain for fetcher errors whose code is an HTTP status.
public let kGTMSessionFetcherStatusDomain = "com.google.HTTPStatus"
/// The `userInfo` key for the response body in an HTTP status error.
///
/// The value is of type `Data`.
public let kGTMSessionFetcherStatusDataKey = "data"
/// The `userInfo` key for the body's `Content-Type` in an HTTP status error.
public let kGTMSessionFetcherStatusDataContentTypeKey = "data_content_type"
/// The domain for a fetcher's own errors.
///
/// The code is a ``GTMSessionFetcherError``.
public let kGTMSessionFetcherErrorDomain = "com.google.GTMSessionFetcher"

/// The codes for those of GTMSessionFetcher's own errors that an authorized request can produce.
public enum GTMSessionFetcherError: Int, Sendable {
    /// The URL is not https, and http is not permitted.
    case insecureRequest = -5
    /// The URL is missing or invalid.
    case taskCreationFailed = -6
}
