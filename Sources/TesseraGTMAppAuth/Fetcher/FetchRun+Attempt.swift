// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth

/// A single attempt: its authorization and redirects.
extension FetchRun {
    /// The number of redirects that are followed.
    private static let redirectLimit = 20

    func attempt() async -> FetchAttempt {
        var attempt = FetchAttempt(result: FetchResult(), isFinal: true)
        // Decorators change the app's request, not the last one that was sent.
        self.update { $0.sentRequest = nil }
        do {
            try await self.decorate()
            let request = try await self.preparedRequest()
            let body = try await self.body(of: request)
            attempt.isRepeatable = body?.isReplayable ?? true
            attempt.isFinal = false
            self.fetcher.post(.gtmSessionFetcherStarted)
            defer { self.fetcher.post(.gtmSessionFetcherStopped) }
            let (response, result) = try await self.exchange(request, body)
            (attempt.response, attempt.result) = (response, result)
        } catch let error as AuthorizationFailure {
            attempt.isFinal = true
            attempt.result.error = FetchErrors.mapped(error.cause)
        } catch {
            attempt.result.error = FetchErrors.mapped(error)
        }
        return attempt
    }

    /// Lets the service's decorators change the request.
    private func decorate() async throws {
        for decorator in self.state.service?.decorators ?? [] {
            let request = try await decorator.changedRequest(of: self.fetcher)
            try self.activeState()
            if let request { self.update { $0.request = request } }
        }
    }

    /// Sends the request, or lets a test's closure or a local URL supply the response.
    private func exchange(_ request: URLRequest, _ body: HTTPBody?) async throws -> (HTTPResponse?, FetchResult) {
        if let simulated = try await self.simulated(request, body) { return simulated }
        if let content = try await self.localContent(of: request) {
            return (nil, try await self.received(nil, nil, content))
        }
        let response = try await self.send(request, body)
        let described = self.described(response.head)
        return (response.head, try await self.received(response.head, described, response.body))
    }

    /// Sends the request and follows redirects.
    private func send(_ original: URLRequest, _ originalBody: HTTPBody?) async throws -> AuthorizedResponse {
        var (request, body, isForeign) = (original, originalBody, false)
        for _ in 0...Self.redirectLimit {
            let response = try await self.sendOnce(request, body, isForeign: isForeign)
            guard let redirect = FetchRedirect(of: response.head, to: request),
                redirect.isBodyless || body?.isReplayable ?? true,
                let next = await self.confirmed(redirect.request, response.head)
            else { return response }
            // The app can have changed the URL.
            try self.check(next)
            await response.drain()
            // A token that was withheld from one request is withheld from all that follow it.
            isForeign = isForeign || !next.hasOrigin(of: request)
            if redirect.isBodyless || next.httpMethod != request.httpMethod { body = nil }
            request = next
            await self.restartAccumulation()
        }
        throw URLError(.httpTooManyRedirects)
    }

    /// Returns the request for a redirect, or nil if the app does not follow it.
    private func confirmed(_ request: URLRequest, _ head: HTTPResponse) async -> URLRequest? {
        guard self.state.willRedirectBlock != nil, let response = self.described(head) else { return request }
        return await self.ask(otherwise: nil) { $0.willRedirectBlock?(response, request, $1) }
    }

    private func sendOnce(
        _ original: URLRequest,
        _ body: HTTPBody?,
        isForeign: Bool
    ) async throws -> AuthorizedResponse {
        let authorizer = isForeign ? nil : try self.activeState().settings.authorizer
        let request = try await self.authorized(original, authorizer)
        try self.activeState()
        self.update { $0.sentRequest = request }
        let message = try self.message(request)
        guard let session = authorizer as? AuthSession, !session.isAuthorizedRequest(request) else {
            let environment = try AppAuthEnvironment.current()
            let transport = try environment.transport(for: message)
            return try await Self.limited(request, environment) {
                let (head, content) = try await transport.send(message, body: body)
                return AuthorizedResponse(head, content, token: nil)
            }
        }
        do {
            let environment = try session.source.environment()
            let transport = try environment.transport(for: message)
            let response = try await Self.limited(request, environment) {
                try await transport.send(
                    message,
                    body: body,
                    authorizedBy: session,
                    within: session.shouldAuthorizeAllRequests ? nil : session.authorizedOrigins
                )
            }
            if let token = response.token {
                let value = token.authorization.withUnredacted { $0 }
                self.update { $0.sentRequest?.setValue(value, forHTTPHeaderField: "Authorization") }
            }
            return response
        } catch is UnauthorizedOriginError {
            throw AuthorizationFailure(cause: AuthSession.Error.cannotAuthorizeRequest(request))
        } catch let error as TokenUnavailable {
            throw AuthorizationFailure(cause: await session.reported(error.cause))
        }
    }

    /// Returns a request with the header fields of an authorizer other than an `AuthSession`, which authorizes requests
    /// when they are sent.
    func authorized(
        _ request: URLRequest,
        _ authorizer: (any GTMSessionFetcherAuthorizer)?
    ) async throws -> URLRequest {
        guard let authorizer, !(authorizer is AuthSession), !authorizer.isAuthorizedRequest(request) else {
            return request
        }
        // A stop passes this request to the authorizer.
        self.update { $0.sentRequest = request }
        let mutable = NSMutableURLRequest.bridged(request)
        let error: (any Error)? = await SharedResult.value(otherwise: CancellationError()) { supply in
            authorizer.authorizeRequest(mutable) { supply($0) }
        }
        if let error { throw AuthorizationFailure(cause: error) }
        return URLRequest._unconditionallyBridgeFromObjectiveC(mutable)
    }

    /// Applies the request's timeout to the time until the response, if the app changed it.
    private static func limited<Value: Sendable>(
        _ request: URLRequest,
        _ environment: AppAuthEnvironment,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let seconds = request.timeoutInterval
        // A duration cannot represent all numbers, and apps use large ones for no timeout.
        guard seconds > 0, seconds != 60, seconds < 1e9 else { return try await work() }
        return try await Deadline.run(.seconds(seconds), clock: environment.runtime.clock, work)
    }
}

/// An error that prevented the authorization of a request, so that nothing was sent.
private struct AuthorizationFailure: Error {
    let cause: any Error
}

/// A redirect that is followed.
struct FetchRedirect {
    /// The next request.
    let request: URLRequest
    /// Whether the request has no body.
    let isBodyless: Bool

    /// The header fields that may be sent to another origin.
    private static let harmless: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "if-modified-since", "if-none-match",
        "if-range", "range", "user-agent",
    ]

    /// Creates a redirect, or returns nil if it must not be followed.
    ///
    /// As in GTMSessionFetcher, the method and the body stay the same, and a redirect from https to http is requested
    /// over https. Only a 303 response leads to a GET request (RFC 9110, section 15.4.4).
    init?(of response: HTTPResponse, to request: URLRequest) {
        guard [301, 302, 303, 307, 308].contains(response.status.code),
            let location = response.headerFields[.location], let current = request.url,
            var target = URL(string: location, relativeTo: current)?.absoluteURL,
            target.user(percentEncoded: true) == nil
        else { return nil }
        if current.scheme?.lowercased() == "https", target.scheme?.lowercased() == "http", target.port == nil {
            var parts = URLComponents(url: target, resolvingAgainstBaseURL: true)
            parts?.scheme = "https"
            guard let url = parts?.url else { return nil }
            target = url
        }
        var next = request
        next.url = target
        var drops = { (_: String) in false }
        if response.status == .seeOther {
            next.httpMethod = next.httpMethod == "HEAD" ? "HEAD" : "GET"
            drops = { $0.hasPrefix("content-") }
        }
        if !next.hasOrigin(of: request) {
            guard target.scheme?.lowercased() == "https", ["GET", "HEAD"].contains(next.httpMethod ?? "GET") else {
                return nil
            }
            drops = { !Self.harmless.contains($0) }
        }
        for name in (request.allHTTPHeaderFields ?? [:]).keys where drops(name.lowercased()) {
            next.setValue(nil, forHTTPHeaderField: name)
        }
        self.isBodyless = response.status == .seeOther || !next.hasOrigin(of: request)
        if self.isBodyless { next.httpBody = nil }
        self.request = next
    }
}

extension URLRequest {
    /// Returns whether the scheme, host and port are those of another request.
    fileprivate func hasOrigin(of other: URLRequest) -> Bool {
        guard let own = self.url.flatMap({ URIParts($0.absoluteString) }),
            let others = other.url.flatMap({ URIParts($0.absoluteString) })
        else { return false }
        return own.hasOrigin(others)
    }
}

extension NSMutableURLRequest {
    fileprivate static func bridged(_ request: URLRequest) -> NSMutableURLRequest {
        let copy = request._bridgeToObjectiveC().mutableCopy() as? NSMutableURLRequest
        return copy ?? NSMutableURLRequest(url: request.url ?? URL(filePath: "/"))
    }
}
