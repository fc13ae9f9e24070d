// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation
internal import TesseraSupport

/// Sends a request, authorized if necessary, with GTMSessionFetcher's API.
///
/// Tessera's transport sends the request. Only https is permitted, and http for connections to this machine if
/// ``allowLocalhostRequest`` or ``allowedInsecureSchemes`` permits it. Cookies are neither sent nor stored.
///
/// A redirect is followed with the same method and body within its origin. To another origin, it is followed only over
/// https for GET and HEAD, without the authorization and other header fields that identify the user. After a 303
/// response, the method is GET.
///
/// Closures are called on ``callbackQueue``, and not after ``stopFetching()``. They are released when the fetch ends.
/// All members are thread-safe. Set them before ``beginFetch(completionHandler:)``. A retry uses the current values.
///
/// A fetcher retains its service, and itself while it is fetching.
///
/// The conformance to `Sendable` is `@unchecked` because the compiler does not check open classes. It is safe because a
/// `Mutex` protects all mutable state. A subclass must also be thread-safe.
open class GTMSessionFetcher: NSObject, @unchecked Sendable {
    private let state: Mutex<FetcherState>
    /// The completion handlers that wait for the callback queue.
    let handlers = DispatchGroup()

    /// Creates a fetcher without a request.
    override public convenience init() { self.init(request: nil) }

    /// Creates a fetcher for a request.
    ///
    /// Prefer ``GTMSessionFetcherService``.
    public required init(request: URLRequest?) {
        var state = FetcherState()
        state.request = request
        self.state = Mutex(state)
        super.init()
    }

    /// Creates a fetcher for a request with a configuration.
    ///
    /// See ``configuration``.
    public convenience init(request: URLRequest?, configuration: URLSessionConfiguration?) {
        self.init(request: request)
        self.configuration = configuration
    }

    /// Creates a fetcher for a GET request.
    public convenience init(url requestURL: URL) { self.init(request: URLRequest(url: requestURL)) }

    /// Creates a fetcher for a GET request.
    ///
    /// If the string is not a URL, the fetch fails with `downloadFailed`.
    public convenience init(urlString requestURLString: String) {
        self.init(request: URL(string: requestURLString).map { URLRequest(url: $0) })
    }

    /// Sends the request.
    ///
    /// If the service already runs as many fetchers for the host as it may, the fetch begins when another one ends. If
    /// the fetcher is already fetching, the handler receives `downloadFailed`, and the first fetch continues.
    ///
    /// - Parameter handler: Receives the response body, which is nil if ``accumulateDataBlock`` or
    ///   ``destinationFileURL`` is set. If the status is 300 or higher, it also receives an error in
    ///   ``kGTMSessionFetcherStatusDomain``. If there is no response, it receives only an error, from the authorizer,
    ///   in `NSURLErrorDomain`, or in ``kGTMSessionFetcherErrorDomain``. It is called once, asynchronously, on
    ///   ``callbackQueue``, or never if the fetcher or the fetchers of its service are stopped and
    ///   ``stopFetchingTriggersCompletionHandler`` is false.
    public func beginFetch(completionHandler handler: GTMSessionFetcherCompletionHandler? = nil) {
        self.begin(FetchCompletion(handler))
    }

    /// Sends the request and returns the response body.
    ///
    /// - Throws: The error that the completion handler receives. If the fetcher is stopped, the error is
    ///   `userCancelled`.
    @discardableResult
    public func beginFetch() async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            self.begin(
                FetchCompletion(isCalledAfterStop: true) { data, error in
                    continuation.resume(with: error.map { .failure($0) } ?? .success(data ?? Data()))
                }
            )
        }
    }

    /// Stops the fetch, even before ``beginFetch(completionHandler:)`` is called.
    ///
    /// The fetcher then never fetches again, and has no authorizer. The completion handler is called only if
    /// ``stopFetchingTriggersCompletionHandler`` is true.
    open func stopFetching() { self.stop() }

    /// Performs the fetch.
    ///
    /// - Returns: The body and the error for the completion handler.
    func perform() async -> FetchResult { await FetchRun(self).result() }

    /// Returns a copy of the current state.
    func snapshot() -> FetcherState { self.state.withLock { $0 } }

    /// Changes the state.
    ///
    /// - Returns: The state before the change.
    @discardableResult
    func update(_ body: (inout FetcherState) -> Void) -> FetcherState {
        self.state.withLock { state in
            let before = state
            body(&state)
            return before
        }
    }

    /// A description with the host and the state.
    ///
    /// The rest of the URL can contain secrets.
    override open var description: String {
        let state = self.snapshot()
        let host = state.request?.url?.host() ?? "no URL"
        return "\(type(of: self)) (\(host))" + (state.isFetching ? ", fetching" : "")
    }
    override open var debugDescription: String { self.description }
}

/// The body and the error with which a fetch ended.
struct FetchResult: Sendable {
    var data: Data?
    var error: (any Error)?
}

/// A completion handler with the rule for a stopped fetch.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``FetcherSettings``.
struct FetchCompletion: @unchecked Sendable {
    let handler: GTMSessionFetcherCompletionHandler?
    /// Whether the handler is called after a stop, regardless of the fetcher's setting.
    let isCalledAfterStop: Bool

    init(isCalledAfterStop: Bool = false, _ handler: GTMSessionFetcherCompletionHandler?) {
        self.handler = handler
        self.isCalledAfterStop = isCalledAfterStop
    }
}
