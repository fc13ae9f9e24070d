// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth

/// A fetcher's call, as the rooms below make it.
struct FetchedCall: Sendable {
    /// The most that an answer may have, in bytes: it is held in memory.
    private static let limit = 256 << 20

    private let settings: GTMSessionFetcher.Settings
    private let url: URL
    private let body: HTTPBody?

    /// - Throws: errors of `kGTMSessionFetcherErrorDomain`.
    init(_ settings: GTMSessionFetcher.Settings) throws {
        guard let url = settings.request.url, let parts = URIParts(url.absoluteString), parts.host?.isEmpty == false
        else {
            throw Self.error(.taskCreationFailed, "There is no URL that could be called.")
        }
        guard parts.scheme == "https" || (parts.isLoopback && settings.allowsLocalhost) else {
            throw Self.error(.insecureRequest, "The URL is not https; see allowLocalhostRequest.")
        }
        self.settings = settings
        self.url = url
        self.body = settings.request.httpBody.map { HTTPBody(Array($0)) }
    }

    func answer() async throws -> FetchedAnswer {
        if let session = self.settings.authorizer as? AuthSession, !session.shouldAuthorizeAllRequests {
            let world = try session.authState.world()
            let fetcher = AuthorizedFetcher(session, runtime: world.runtime, settings: FetchSettings(backoff: .once))
            do {
                return try await self.answer(self.settings.request) { try await fetcher.send($0, body: self.body) }
            } catch is OriginRefused {
                throw AuthSession.Error.cannotAuthorizeRequest(self.settings.request)
            }
        }
        let answer = try await self.sent()
        guard answer.status == 401, self.settings.authorizer?.primeForRefresh() == true else { return answer }
        return try await self.sent()
    }

    /// The request with what the authorizer adds to it, sent once.
    private func sent() async throws -> FetchedAnswer {
        var request = self.settings.request
        if let authorizer = self.settings.authorizer { request = try await authorizer.added(to: request) }
        let transport = try AppAuthWorld.current().runtime.transport
        return try await self.answer(request) { try await transport.send($0, body: self.body) }
    }

    private func answer(
        _ request: URLRequest,
        _ send: (HTTPRequest) async throws -> (HTTPResponse, HTTPBody)
    ) async throws -> FetchedAnswer {
        guard let method = HTTPRequest.Method(request.httpMethod ?? "GET") else {
            throw Self.error(.taskCreationFailed, "The method is none of HTTP's.")
        }
        var message = try HTTPRequest(method: method, url: self.url.absoluteString)
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            guard let name = HTTPField.Name(name) else { continue }
            message.headerFields[name] = value
        }
        let (response, body) = try await send(message)
        let headers = response.headerFields.map { ($0.name.rawName, $0.value) }
        return FetchedAnswer(
            status: Int(response.status.code),
            headers: Dictionary(headers) { $0 + ", " + $1 },
            body: Data(try await body.collect(upTo: Self.limit))
        )
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
