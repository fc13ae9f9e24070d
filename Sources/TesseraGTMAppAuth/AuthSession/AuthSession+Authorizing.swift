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
    ///     domains. The handler is called once, asynchronously, on the fetcher service's queue or on the main queue.
    public func authorizeRequest(
        _ request: NSMutableURLRequest?,
        completionHandler handler: @escaping ((any Swift.Error)?) -> Void
    ) {
        let id = self.state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let callback = Callback<Result<[String: String], any Swift.Error>>(on: self.callbackQueue) { result in
            // The authorization can still be stopped while the result is waiting for the queue.
            let isStopped = self.state.withLock { $0.pending.removeValue(forKey: id) } == nil
            switch isStopped ? .failure(NSError.appAuth(mapping: CancellationError())) : result {
            case .success(let fields):
                for (name, value) in fields { request?.setValue(value, forHTTPHeaderField: name) }
                handler(nil)
            case .failure(let error): handler(error)
            }
        }
        let copy = request.map { URLRequest._unconditionallyBridgeFromObjectiveC($0) }
        let pending = PendingRequest(request: copy ?? URLRequest(url: URL(filePath: "/")), callback: callback)
        self.state.withLock { $0.pending[id] = pending }
        callback.report { try await self.fields(for: pending.request) }
    }

    /// Returns the request with a valid access token in its `Authorization` header.
    ///
    /// If the token is bound to a key (DPoP), the `DPoP` header contains a proof that can be used only once, with this
    /// request.
    ///
    /// - Throws: Any error that ``authorizeRequest(_:completionHandler:)`` reports.
    public func authorized(_ request: URLRequest) async throws -> URLRequest {
        var authorized = request
        for (name, value) in try await self.fields(for: request) {
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
        self.state.withLock { state in state.pending.values.contains { $0.request == request } }
    }

    /// Returns whether a request has a nonempty `Authorization` header of any kind.
    public func isAuthorizedRequest(_ request: URLRequest) -> Bool {
        request.value(forHTTPHeaderField: "Authorization")?.isEmpty == false
    }

    private var callbackQueue: DispatchQueue {
        self.state.withLock { $0.fetcherService }?.callbackQueue ?? .main
    }

    private func stop(where isMeant: (URLRequest) -> Bool) {
        let stopped = self.state.withLock { state in
            let stopped = state.pending.filter { isMeant($0.value.request) }
            for id in stopped.keys { state.pending[id] = nil }
            return stopped.values
        }
        for pending in stopped {
            pending.callback(.failure(NSError.appAuth(mapping: CancellationError())))
        }
    }

    /// Returns the header fields that authorize a request.
    private func fields(for request: URLRequest) async throws -> [String: String] {
        do {
            guard self.mayAuthorize(request) else { throw Error.cannotAuthorizeRequest(request) }
            guard let token = try await self.freshToken() else { throw Error.accessTokenEmptyForRequest(request) }
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
    func reported(_ error: any Swift.Error) async -> any Swift.Error {
        guard let delegate = self.delegate else { return error }
        let updated: (any Swift.Error)? = await withCheckedContinuation { continuation in
            let result = SharedResult<(any Swift.Error)?>(otherwise: nil) { continuation.resume(returning: $0) }
            delegate.updateError(forAuthSession: self, originalError: error) { result($0) }
        }
        return updated ?? error
    }
}

/// A request whose authorization is pending.
struct PendingRequest: Sendable {
    /// A copy of the request from when its authorization started.
    let request: URLRequest
    /// Receives the header fields.
    let callback: Callback<Result<[String: String], any Error>>
}

/// A delegate that customizes an ``AuthSession``'s refresh requests and errors.
///
/// The delegate's methods can be called on any thread.
public protocol AuthSessionDelegate: AnyObject, Sendable {
    /// Returns additional parameters for a refresh request.
    ///
    /// This method is called only before a refresh.
    func additionalTokenRefreshParameters(forAuthSession authSession: AuthSession) -> [String: String]?

    /// Replaces the error from a failed authorization.
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
