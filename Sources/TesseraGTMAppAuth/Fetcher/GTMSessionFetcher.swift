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

/// One authorized call under GTMSessionFetcher's names.
///
/// Any thread may call anything; what is set after ``beginFetch(completionHandler:)`` has no effect.
public final class GTMSessionFetcher: NSObject, Sendable {
    /// What a call is made of.
    struct Settings: Sendable {
        var request: URLRequest
        var authorizer: (any GTMSessionFetcherAuthorizer)?
        var callbackQueue = DispatchQueue.main
        var allowsLocalhost = false
    }

    private struct State {
        var settings: Settings
        var task: Task<Void, Never>?
        var answer: FetchedAnswer?
        var isFetching = false
        var isStopped = false
    }

    private let state: Mutex<State>

    /// A fetcher for a request; better made by a ``GTMSessionFetcherService``.
    public init(request: URLRequest) {
        self.state = Mutex(State(settings: Settings(request: request)))
        super.init()
    }

    /// The request, without the authorization that is added when it is sent.
    public var request: URLRequest? { self.state.withLock { $0.settings.request } }

    /// Authorizes the request; nil for a call without authorization.
    public var authorizer: (any GTMSessionFetcherAuthorizer)? {
        get { self.state.withLock { $0.settings.authorizer } }
        set { self.state.withLock { $0.settings.authorizer = newValue } }
    }

    /// Where the handler is called; the main queue at first.
    public var callbackQueue: DispatchQueue {
        get { self.state.withLock { $0.settings.callbackQueue } }
        set { self.state.withLock { $0.settings.callbackQueue = newValue } }
    }

    /// Whether this very machine may be called by plain http.
    public var allowLocalhostRequest: Bool {
        get { self.state.withLock { $0.settings.allowsLocalhost } }
        set { self.state.withLock { $0.settings.allowsLocalhost = newValue } }
    }

    /// The request's body; setting one makes a GET a POST.
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

    /// Whether the fetcher waits for the response.
    public var isFetching: Bool { self.state.withLock { $0.isFetching } }
    /// The response's status; 0 before it arrives.
    public var statusCode: Int { self.state.withLock { $0.answer?.status ?? 0 } }
    /// The response's header fields by name; nil before it arrives.
    public var responseHeaders: [String: String]? { self.state.withLock { $0.answer?.headers } }
    /// The response's head; nil before it arrives.
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

    /// Makes the call.
    ///
    /// After a 401 the request is sent once more with another token, if the authorizer has one. Nothing else is sent
    /// again. A fetcher that is fetching makes no second call: its handler gets `taskCreationFailed`.
    ///
    /// - Parameter handler: gets the response's body; for a status outside 200…299 also an error of
    ///   ``kGTMSessionFetcherStatusDomain``; for a call without a response only an error: of the authorizer, of
    ///   `NSURLErrorDomain` or of ``kGTMSessionFetcherErrorDomain``. Called once, later, on ``callbackQueue``.
    public func beginFetch(completionHandler handler: ((Data?, (any Error)?) -> Void)? = nil) {
        self.state.withLock { state in
            let settings = state.settings
            let cancelled: (Data?, (any Error)?) = (nil, FetchedCall.mapped(CancellationError()))
            let callback = Callback<(Data?, (any Error)?)>(on: settings.callbackQueue) { result in
                // It can be stopped until its handler is called, also while the result waits for the queue.
                let (data, error) = self.state.withLock { $0.isStopped } ? cancelled : result
                handler?(data, error)
            }
            if state.isStopped { return callback(cancelled) }
            if state.isFetching { return callback((nil, FetchedCall.isFetching)) }
            state.isFetching = true
            state.task = Task {
                do {
                    let answer = try await FetchedCall(settings).answer()
                    self.end(answer)
                    callback((answer.body, answer.error))
                } catch {
                    self.end(nil)
                    callback((nil, FetchedCall.mapped(error)))
                }
            }
        }
    }

    /// The same for callers that wait; a status outside 200…299 is thrown.
    public func beginFetch() async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            self.beginFetch { data, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(data ?? Data()))
            }
        }
    }

    /// Cancels the call, or the one that ``beginFetch(completionHandler:)`` would make later: its handler gets
    /// `NSURLErrorCancelled`.
    public func stopFetching() {
        let task = self.state.withLock { state in
            state.isStopped = true
            return state.task
        }
        task?.cancel()
    }

    private func end(_ answer: FetchedAnswer?) {
        self.state.withLock { state in
            state.answer = answer
            state.isFetching = false
            state.task = nil
        }
    }
}
