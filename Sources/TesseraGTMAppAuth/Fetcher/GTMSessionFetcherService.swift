// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif
public import Dispatch
internal import TesseraSupport

/// Makes fetchers that share an authorizer, a queue and what they permit.
///
/// Of GTMSessionFetcher this has what an authorized call needs; for retries, transfers to files and uploads that go on
/// there is `AuthorizedFetcher`, which takes an ``AuthSession`` as it is.
public final class GTMSessionFetcherService: NSObject, GTMSessionFetcherServiceProtocol, Sendable {
    private struct State {
        var authorizer: (any GTMSessionFetcherAuthorizer)?
        var callbackQueue: DispatchQueue?
        var userAgent: String?
        var allowsLocalhost = false
    }

    private let state = Mutex(State())

    /// A service whose fetchers carry no authorization yet.
    override public init() { super.init() }

    /// Authorizes the fetchers' requests; it is told that it works for this service.
    public var authorizer: (any GTMSessionFetcherAuthorizer)? {
        get { self.state.withLock { $0.authorizer } }
        set {
            self.state.withLock { $0.authorizer = newValue }
            newValue?.fetcherService = self
        }
    }

    /// Where handlers are called; nil for the main queue.
    public var callbackQueue: DispatchQueue? {
        get { self.state.withLock { $0.callbackQueue } }
        set { self.state.withLock { $0.callbackQueue = newValue } }
    }

    /// `User-Agent` of requests that have none.
    public var userAgent: String? {
        get { self.state.withLock { $0.userAgent } }
        set { self.state.withLock { $0.userAgent = newValue } }
    }

    /// Whether fetchers may call this very machine by plain http.
    public var allowLocalhostRequest: Bool {
        get { self.state.withLock { $0.allowsLocalhost } }
        set { self.state.withLock { $0.allowsLocalhost = newValue } }
    }

    /// A fetcher for a request.
    public func fetcher(with request: URLRequest) -> GTMSessionFetcher {
        var request = request
        if let userAgent, request.value(forHTTPHeaderField: "User-Agent") == nil {
            request.setValue(userAgent, forHTTPHeaderField: "User-Agent")
        }
        let fetcher = GTMSessionFetcher(request: request)
        fetcher.authorizer = self.authorizer
        fetcher.callbackQueue = self.callbackQueue ?? .main
        fetcher.allowLocalhostRequest = self.allowLocalhostRequest
        return fetcher
    }

    /// A fetcher that gets a URL.
    public func fetcher(with url: URL) -> GTMSessionFetcher { self.fetcher(with: URLRequest(url: url)) }

    /// A fetcher that gets a URL; one that is none fails with `taskCreationFailed`.
    public func fetcher(withURLString urlString: String) -> GTMSessionFetcher {
        self.fetcher(with: URL(string: urlString).map { URLRequest(url: $0) } ?? URLRequest(url: URL(filePath: "/")))
    }
}

/// What an authorizer knows of the service that makes the fetchers.
public protocol GTMSessionFetcherServiceProtocol: AnyObject, Sendable {
    /// Where handlers are called; nil for the main queue.
    var callbackQueue: DispatchQueue? { get }
}
