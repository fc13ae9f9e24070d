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
    /// Adds a fresh token to a request.
    ///
    /// - Parameters:
    ///   - request: gets an `Authorization` header field, and `DPoP` with a token that is bound to a key, just before
    ///     `handler` is called, on the same queue.
    ///   - handler: gets nil; ``AuthSession/Error`` for a request to another origin, for a session without a token and for
    ///     no request at all; else an `NSError` of AppAuth's domains. Called once, later, on the fetcher service's queue,
    ///     else on the main queue.
    public func authorizeRequest(
        _ request: NSMutableURLRequest?,
        completionHandler handler: @escaping ((any Swift.Error)?) -> Void
    ) {
        let id = self.state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let callback = Callback<Result<[String: String], any Swift.Error>>(on: self.callbackQueue) { result in
            // It can be stopped until its handler is called, also while the result waits for the queue.
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

    /// Returns the request with a fresh token in its `Authorization` header field.
    ///
    /// A token that is bound to a key (DPoP) comes with a proof in the field `DPoP`, for this request and one use.
    ///
    /// - Throws: The errors of ``authorizeRequest(_:completionHandler:)``.
    public func authorized(_ request: URLRequest) async throws -> URLRequest {
        var authorized = request
        for (name, value) in try await self.fields(for: request) {
            authorized.setValue(value, forHTTPHeaderField: name)
        }
        return authorized
    }

    /// Stops every authorization whose handler was not called yet.
    ///
    /// The handlers get `programCanceledAuthorizationFlow`, and no token is added to the requests.
    public func stopAuthorization() { self.stop { _ in true } }

    /// Stops the authorizations of requests that are equal to this one, as ``stopAuthorization()`` does.
    public func stopAuthorization(for request: URLRequest) { self.stop { $0 == request } }

    /// Whether the authorization of a request that is equal to this one is under way.
    public func isAuthorizingRequest(_ request: URLRequest) -> Bool {
        self.state.withLock { state in state.pending.values.contains { $0.request == request } }
    }

    /// Whether a request has an `Authorization` header field with something in it, whatever it is.
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

    /// The header fields that authorize a request.
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

    /// The error that the caller gets: the delegate's, or the original one if the delegate has none or forgets to answer.
    func reported(_ error: any Swift.Error) async -> any Swift.Error {
        guard let delegate = self.delegate else { return error }
        let updated: (any Swift.Error)? = await withCheckedContinuation { waiter in
            let answer = OneAnswer<(any Swift.Error)?>(otherwise: nil) { waiter.resume(returning: $0) }
            delegate.updateError(forAuthSession: self, originalError: error) { answer($0) }
        }
        return updated ?? error
    }
}

/// A request on its way to an authorization.
struct PendingRequest: Sendable {
    /// The request when it came.
    let request: URLRequest
    /// Gets the header fields.
    let callback: Callback<Result<[String: String], any Error>>
}

/// Has a say in how an ``AuthSession`` refreshes its tokens, and in the errors that it gives.
///
/// Called on any thread.
public protocol AuthSessionDelegate: AnyObject, Sendable {
    /// What a token request carries beside its own parameters; asked only when the tokens are to be refreshed.
    func additionalTokenRefreshParameters(forAuthSession authSession: AuthSession) -> [String: String]?

    /// Another error in place of one that an authorization ended with.
    ///
    /// - Parameters:
    ///   - authSession: whose authorization it was.
    ///   - originalError: what went wrong.
    ///   - completion: takes the error that the caller gets, nil for the original one. Where it is let go of without a
    ///     call, the caller gets the original one.
    func updateError(
        forAuthSession authSession: AuthSession,
        originalError: any Error,
        completion: @escaping @Sendable ((any Error)?) -> Void
    )
}

extension AuthSessionDelegate {
    /// Nothing.
    public func additionalTokenRefreshParameters(forAuthSession authSession: AuthSession) -> [String: String]? { nil }

    /// The original error.
    public func updateError(
        forAuthSession authSession: AuthSession,
        originalError: any Error,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        completion(nil)
    }
}

/// The older name of ``AuthSessionDelegate``.
public typealias GTMAuthSessionDelegate = AuthSessionDelegate
