// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
#if canImport(FoundationNetworking)
internal import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif
internal import TesseraSupport
internal import TesseraOAuth

extension AuthSession: GTMSessionFetcherAuthorizer {
    /// Adds a fresh token to a request.
    ///
    /// - Parameters:
    ///   - request: gets an `Authorization` header field, just before `handler` is called, on the same queue.
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
        let callback = Callback<Result<Secret, any Swift.Error>>(on: self.callbackQueue) { result in
            // It can be stopped until its handler is called, also while the result waits for the queue.
            let isStopped = self.state.withLock { $0.pending.removeValue(forKey: id) } == nil
            switch isStopped ? .failure(NSError.appAuth(mapping: CancellationError())) : result {
            case .success(let authorization):
                authorization.withUnredacted { request?.setValue($0, forHTTPHeaderField: "Authorization") }
                handler(nil)
            case .failure(let error): handler(error)
            }
        }
        let copy = request.map { URLRequest._unconditionallyBridgeFromObjectiveC($0) }
        let pending = PendingRequest(request: copy ?? URLRequest(url: URL(filePath: "/")), callback: callback)
        self.state.withLock { $0.pending[id] = pending }
        Task {
            let result: Result<Secret, any Swift.Error>
            do {
                result = .success(try await self.authorization(for: pending.request))
            } catch {
                result = .failure(error)
            }
            callback(result)
        }
    }

    /// The same request with a fresh token in its `Authorization` header field.
    ///
    /// - Throws: as ``authorizeRequest(_:completionHandler:)`` gives.
    public func authorized(_ request: URLRequest) async throws -> URLRequest {
        let authorization = try await self.authorization(for: request)
        var request = request
        authorization.withUnredacted { request.setValue($0, forHTTPHeaderField: "Authorization") }
        return request
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

    /// The value of the header field for a request.
    private func authorization(for request: URLRequest) async throws -> Secret {
        do {
            guard self.mayAuthorize(request) else { throw Error.cannotAuthorizeRequest(request) }
            guard let token = try await self.freshToken(), !token.isEmpty else {
                throw Error.accessTokenEmptyForRequest(request)
            }
            return Secret("Bearer \(token)")
        } catch {
            guard let delegate = self.delegate else { throw error }
            throw await self.updated(error, by: delegate) ?? error
        }
    }

    /// The error that the delegate gives, nil for the original one and where it forgets to answer.
    private func updated(_ error: any Swift.Error, by delegate: any AuthSessionDelegate) async -> (any Swift.Error)? {
        await withCheckedContinuation { waiter in
            let answer = OneAnswer<(any Swift.Error)?>(otherwise: nil) { waiter.resume(returning: $0) }
            delegate.updateError(forAuthSession: self, originalError: error) { answer($0) }
        }
    }
}
