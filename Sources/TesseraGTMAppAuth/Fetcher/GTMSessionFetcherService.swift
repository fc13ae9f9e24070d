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

/// Creates fetchers that share an authorizer, a queue and a configuration.
///
/// This class supports those parts of GTMSessionFetcher that authorized requests need. For retries, file transfers and
/// resumable uploads, use `AuthorizedFetcher`, which accepts an ``AuthSession``.
public final class GTMSessionFetcherService: NSObject, GTMSessionFetcherServiceProtocol, Sendable {
    private struct State {
        var authorizer: (any GTMSessionFetcherAuthorizer)?
        var callbackQueue: DispatchQueue?
        var userAgent: String?
        var allowsLocalhost = false
    }

    private let state = Mutex(State())

    /// Creates a service without an authorizer.
    override public init() { super.init() }

    /// The authorizer for the fetchers.
    ///
    /// Setting it also sets the authorizer's `fetcherService`.
    public var authorizer: (any GTMSessionFetcherAuthorizer)? {
        get { self.state.withLock { $0.authorizer } }
        set {
            self.state.withLock { $0.authorizer = newValue }
            newValue?.fetcherService = self
        }
    }

    /// The queue for completion handlers, or nil for the main queue.
    public var callbackQueue: DispatchQueue? {
        get { self.state.withLock { $0.callbackQueue } }
        set { self.state.withLock { $0.callbackQueue = newValue } }
    }

    /// The `User-Agent` header for requests that do not set one.
    public var userAgent: String? {
        get { self.state.withLock { $0.userAgent } }
        set { self.state.withLock { $0.userAgent = newValue } }
    }

    /// Whether http is permitted for connections to this machine.
    public var allowLocalhostRequest: Bool {
        get { self.state.withLock { $0.allowsLocalhost } }
        set { self.state.withLock { $0.allowsLocalhost = newValue } }
    }

    /// Returns a fetcher for a request.
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

    /// Returns a fetcher for a GET request.
    public func fetcher(with url: URL) -> GTMSessionFetcher { self.fetcher(with: URLRequest(url: url)) }

    /// Returns a fetcher for a GET request.
    ///
    /// If the string is not a URL, fetching fails with `taskCreationFailed`.
    public func fetcher(withURLString urlString: String) -> GTMSessionFetcher {
        self.fetcher(with: URL(string: urlString).map { URLRequest(url: $0) } ?? URLRequest(url: URL(filePath: "/")))
    }
}

/// The part of a fetcher service that an authorizer uses.
public protocol GTMSessionFetcherServiceProtocol: AnyObject, Sendable {
    /// The queue for completion handlers, or nil for the main queue.
    var callbackQueue: DispatchQueue? { get }
}
