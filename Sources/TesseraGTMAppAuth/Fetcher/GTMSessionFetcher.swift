// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Dispatch
#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif
internal import TesseraSupport

/// Sends a single request, authorized if necessary, with GTMSessionFetcher's API.
///
/// All members are thread-safe. Changes made after ``beginFetch(completionHandler:)`` have no effect.
public final class GTMSessionFetcher: NSObject, Sendable {
    /// The settings of a request.
    struct Settings: Sendable {
        var request: URLRequest
        var authorizer: (any GTMSessionFetcherAuthorizer)?
        var callbackQueue = DispatchQueue.main
        var allowsLocalhost = false
    }

    private struct State {
        var settings: Settings
        var task: Task<Void, Never>?
        var answer: FetchedResponse?
        var isFetching = false
        var isStopped = false
    }

    private let state: Mutex<State>

    /// Creates a fetcher for a request.
    ///
    /// Prefer ``GTMSessionFetcherService``.
    public init(request: URLRequest) {
        self.state = Mutex(State(settings: Settings(request: request)))
        super.init()
    }

    /// The request, without the authorization that is added when it is sent.
    public var request: URLRequest? { self.state.withLock { $0.settings.request } }

    /// The authorizer, or nil to send the request without authorization.
    public var authorizer: (any GTMSessionFetcherAuthorizer)? {
        get { self.state.withLock { $0.settings.authorizer } }
        set { self.state.withLock { $0.settings.authorizer = newValue } }
    }

    /// The queue for the completion handler.
    ///
    /// The default is the main queue.
    public var callbackQueue: DispatchQueue {
        get { self.state.withLock { $0.settings.callbackQueue } }
        set { self.state.withLock { $0.settings.callbackQueue = newValue } }
    }

    /// Whether http is permitted for connections to this machine.
    public var allowLocalhostRequest: Bool {
        get { self.state.withLock { $0.settings.allowsLocalhost } }
        set { self.state.withLock { $0.settings.allowsLocalhost = newValue } }
    }

    /// The request body.
    ///
    /// Setting this property changes the method from GET to POST.
    public var bodyData: Data? {
        get { self.state.withLock { $0.settings.request.httpBody } }
        set {
            self.state.withLock { state in
                state.settings.request.httpBody = newValue
                if newValue != nil, state.settings.request.httpMethod == "GET" {
                    state.settings.request.httpMethod = "POST"
                }
            }
        }
    }

    /// Whether the fetcher is waiting for the response.
    public var isFetching: Bool { self.state.withLock { $0.isFetching } }
    /// The response's status, or 0 before the response arrives.
    public var statusCode: Int { self.state.withLock { $0.answer?.status ?? 0 } }
    /// The response's header fields, or nil before the response arrives.
    public var responseHeaders: [String: String]? { self.state.withLock { $0.answer?.headers } }
    /// The response without its body, or nil before it arrives.
    public var response: URLResponse? {
        self.state.withLock { state in
            guard let answer = state.answer, let url = state.settings.request.url else { return nil }
            return HTTPURLResponse(
                url: url,
                statusCode: answer.status,
                httpVersion: "HTTP/1.1",
                headerFields: answer.headers
            )
        }
    }

    /// Sends the request.
    ///
    /// After a 401 response, the request is sent once more if the authorizer can supply another token. There are no
    /// other retries. If the fetcher is already fetching, the handler receives `taskCreationFailed`.
    ///
    /// - Parameter handler: Receives the response body. If the status is outside 200…299, it also receives an error in
    ///   ``kGTMSessionFetcherStatusDomain``. If there is no response, it receives only an error, either from the
    ///   authorizer or in `NSURLErrorDomain` or ``kGTMSessionFetcherErrorDomain``. It is called once, asynchronously,
    ///   on ``callbackQueue``.
    public func beginFetch(completionHandler handler: ((Data?, (any Error)?) -> Void)? = nil) {
        self.state.withLock { state in
            let settings = state.settings
            let canceled: (Data?, (any Error)?) = (nil, FetcherRequest.mapped(CancellationError()))
            let callback = Callback<(Data?, (any Error)?)>(on: settings.callbackQueue) { result in
                // The fetcher can still be stopped while the result is waiting for the queue.
                let (data, error) = self.state.withLock { $0.isStopped } ? canceled : result
                handler?(data, error)
            }
            if state.isStopped { return callback(canceled) }
            if state.isFetching { return callback((nil, FetcherRequest.isFetching)) }
            state.isFetching = true
            state.task = Task {
                do {
                    let answer = try await FetcherRequest(settings).response()
                    self.end(answer)
                    callback((answer.body, answer.error))
                } catch {
                    self.end(nil)
                    callback((nil, FetcherRequest.mapped(error)))
                }
            }
        }
    }

    /// Sends the request and returns the response body.
    ///
    /// This method throws an error if the status is outside 200…299.
    public func beginFetch() async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            self.beginFetch { data, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(data ?? Data()))
            }
        }
    }

    /// Cancels the request, even before ``beginFetch(completionHandler:)`` is called.
    ///
    /// The handler receives `NSURLErrorCancelled`.
    public func stopFetching() {
        let task = self.state.withLock { state in
            state.isStopped = true
            return state.task
        }
        task?.cancel()
    }

    private func end(_ answer: FetchedResponse?) {
        self.state.withLock { state in
            state.answer = answer
            state.isFetching = false
            state.task = nil
        }
    }
}
