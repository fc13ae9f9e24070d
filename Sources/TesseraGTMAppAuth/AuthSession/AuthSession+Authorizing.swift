// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif
internal import Dispatch
internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraSupport

extension AuthSession: GTMSessionFetcherAuthorizer {
    /// Adds a valid access token to a request.
    ///
    /// - Parameters:
    ///   - request: The request. Its `Authorization` header, and its `DPoP` header if the token is bound to a key, are
    ///     set right before `handler` is called, on the same queue.
    ///   - handler: Receives nil if the request was authorized. Otherwise, it receives an ``AuthSession/Error`` if the
    ///     request is nil or goes to another origin, or if there is no token, or an `NSError` in one of AppAuth's
    ///     domains. The handler is called once, asynchronously, on the queue that the fetcher service has at that time,
    ///     or on the main queue.
    public func authorizeRequest(
        _ request: NSMutableURLRequest?,
        completionHandler handler: @escaping ((any Swift.Error)?) -> Void
    ) {
        let pending = PendingRequest(request, handler)
        let id = self.state.withLock { state in
            state.lastID += 1
            state.pending[state.lastID] = pending
            return state.lastID
        }
        // As in GTMAppAuth, the delegate is asked on the caller's thread, even if the token is fresh.
        let parameters = self.refreshParameters
        Task {
            let result: Result<[String: String], any Swift.Error>
            do {
                result = .success(try await self.fields(for: pending.copy) { parameters })
            } catch {
                result = .failure(error)
            }
            self.callbackQueue.async {
                // The authorization can still be stopped while the result is waiting for the queue.
                self.state.withLock { $0.pending.removeValue(forKey: id) }?.end(result)
            }
        }
    }

    /// Returns the request with a valid access token in its `Authorization` header.
    ///
    /// If the token is bound to a key (DPoP), the `DPoP` header contains a proof that can be used only once, with this
    /// request.
    ///
    /// - Throws: Any error that ``authorizeRequest(_:completionHandler:)`` reports.
    public func authorized(_ request: URLRequest) async throws -> URLRequest {
        var authorized = request
        for (name, value) in try await self.fields(for: request, { self.refreshParameters }) {
            authorized.setValue(value, forHTTPHeaderField: name)
        }
        return authorized
    }

    /// Stops all pending authorizations.
    ///
    /// Their handlers receive `programCanceledAuthorizationFlow`, and no token is added to the requests.
    public func stopAuthorization() { self.stop { _ in true } }

    /// Stops the pending authorizations for requests that are equal to `request`.
    public func stopAuthorization(for request: URLRequest) { self.stop { $0 == request } }

    /// Returns whether an authorization is pending for a request that is equal to `request`.
    public func isAuthorizingRequest(_ request: URLRequest) -> Bool {
        self.state.withLock { state in state.pending.values.contains { $0.copy == request } }
    }

    /// Returns whether a request has a nonempty `Authorization` header of any kind.
    public func isAuthorizedRequest(_ request: URLRequest) -> Bool {
        request.value(forHTTPHeaderField: "Authorization")?.isEmpty == false
    }

    private var callbackQueue: DispatchQueue {
        self.state.withLock { $0.fetcherService }?.callbackQueue ?? .main
    }

    private func stop(where isMeant: (URLRequest?) -> Bool) {
        let stopped = self.state.withLock { state in
            let stopped = state.pending.filter { isMeant($0.value.copy) }
            for id in stopped.keys { state.pending[id] = nil }
            return stopped.values
        }
        for pending in stopped {
            self.callbackQueue.async { pending.end(.failure(NSError.appAuth(mapping: CancellationError()))) }
        }
    }

    /// Returns the header fields that authorize a request, which is nil if it has no URL.
    private func fields(
        for request: URLRequest?,
        _ parameters: @Sendable () -> [String: String]?
    ) async throws -> [String: String] {
        do {
            guard let request else { throw Error.cannotAuthorizeRequest(URLRequest(url: URL(filePath: "/"))) }
            guard self.mayAuthorize(request) else { throw Error.cannotAuthorizeRequest(request) }
            guard let token = try await self.freshToken(parameters) else {
                throw Error.accessTokenEmptyForRequest(request)
            }
            guard token.dpop != nil else { return ["Authorization": token.authorization.withUnredacted { $0 }] }
            let method = request.httpMethod.flatMap { HTTPRequest.Method($0) }
            var message = try HTTPRequest(method: method ?? .get, url: request.url?.absoluteString ?? "")
            try token.authorize(&message)
            return Dictionary(message.headerFields.map { ($0.name.rawName, $0.value) }) { $1 }
        } catch {
            throw await self.reported(error)
        }
    }

    /// Returns the error to report, which is the original one unless the delegate supplies another.
    ///
    /// As in GTMAppAuth, the delegate is called on the main queue.
    func reported(_ error: any Swift.Error) async -> any Swift.Error {
        guard let delegate = self.delegate else { return error }
        let updated: (any Swift.Error)? = await withCheckedContinuation { continuation in
            let result = SharedResult<(any Swift.Error)?>(otherwise: nil) { continuation.resume(returning: $0) }
            DispatchQueue.main.async {
                delegate.updateError(forAuthSession: self, originalError: error) { result($0) }
            }
        }
        return updated ?? error
    }
}

#if canImport(ObjectiveC)
extension AuthSession {
    /// Adds a valid access token to a request and calls a delegate's method.
    @available(
        *,
        unavailable,
        message: "Use authorizeRequest(_:completionHandler:), and call the delegate's method in the completion handler."
    )
    public func authorizeRequest(_ request: NSMutableURLRequest?, delegate: Any, didFinish selector: Selector) {}
}
#endif

/// A request whose authorization is pending.
///
/// The conformance to `Sendable` is `@unchecked` because an `NSMutableURLRequest` and the original library's completion
/// handlers are not `Sendable`. It is safe because both are private `let`s that only ``end(_:)`` uses. A session calls
/// it once, on its callback queue, after it has removed this object.
final class PendingRequest: @unchecked Sendable {
    /// A copy of the request from when its authorization started, or nil if there is no request or it has no URL.
    let copy: URLRequest?
    private let request: NSMutableURLRequest?
    private let handler: ((any Error)?) -> Void

    init(_ request: NSMutableURLRequest?, _ handler: @escaping ((any Error)?) -> Void) {
        // Foundation on Linux cannot copy a request without a URL.
        let whole = request?.url == nil ? nil : request
        self.copy = whole.map { URLRequest._unconditionallyBridgeFromObjectiveC($0) }
        self.request = request
        self.handler = handler
    }

    /// Adds the header fields to the request, and calls the handler.
    func end(_ result: Result<[String: String], any Error>) {
        switch result {
        case .success(let fields):
            for (name, value) in fields { self.request?.setValue(value, forHTTPHeaderField: name) }
            self.handler(nil)
        case .failure(let error): self.handler(error)
        }
    }
}

/// A delegate that customizes an ``AuthSession``'s refresh requests and errors.
public protocol AuthSessionDelegate: AnyObject, Sendable {
    /// Returns additional parameters for a refresh request.
    ///
    /// ``AuthSession/authorizeRequest(_:completionHandler:)`` always calls this method on the calling thread before it
    /// returns. Fetchers and the session's other methods call it only before a refresh, on any thread.
    func additionalTokenRefreshParameters(forAuthSession authSession: AuthSession) -> [String: String]?

    /// Replaces the error from a failed authorization.
    ///
    /// This method is called on the main queue.
    ///
    /// - Parameters:
    ///   - authSession: The session.
    ///   - originalError: The original error.
    ///   - completion: Takes the error to report, or nil to report the original one. If the closure is released without
    ///     being called, the original error is reported.
    func updateError(
        forAuthSession authSession: AuthSession,
        originalError: any Error,
        completion: @escaping @Sendable ((any Error)?) -> Void
    )
}

extension AuthSessionDelegate {
    /// Returns nil, which adds no parameters.
    public func additionalTokenRefreshParameters(forAuthSession authSession: AuthSession) -> [String: String]? { nil }

    /// Reports the original error.
    public func updateError(
        forAuthSession authSession: AuthSession,
        originalError: any Error,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        completion(nil)
    }
}

/// GTMAppAuth's former name for ``AuthSessionDelegate``.
public typealias GTMAuthSessionDelegate = AuthSessionDelegate
