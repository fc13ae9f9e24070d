// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Dispatch
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation
internal import TesseraSupport

/// Creates fetchers that share an authorizer and other settings, and limits how many run at the same time.
///
/// A fetcher gets a copy of the settings when it is created.
///
/// The conformance to `Sendable` is `@unchecked` because the compiler does not check open classes. It is safe because a
/// `Mutex` protects all mutable state. A subclass must also be thread-safe.
open class GTMSessionFetcherService: NSObject, GTMSessionFetcherServiceProtocol, @unchecked Sendable {
    fileprivate struct State {
        var settings = FetcherSettings()
        /// Whether the callback queue may be concurrent, so that each fetcher has its own queue.
        var hasConcurrentQueue = false
        var decorators: [WeakDecorator] = []
        var maxRunningFetchersPerHost = UInt(10)
        var running: [String: [GTMSessionFetcher]] = [:]
        var delayed: [String: [GTMSessionFetcher]] = [:]
        var stopCount = 0
    }

    private let state: Mutex<State>
    /// The completion handlers that wait for a callback queue.
    let handlers = DispatchGroup()

    /// Creates a service without an authorizer.
    override public required init() {
        var state = State()
        state.settings.userAgentProvider = GTMStandardUserAgentProvider(bundle: nil)
        self.state = Mutex(state)
        super.init()
    }

    var settings: FetcherSettings { self.state.withLock { $0.settings } }

    /// Changes the settings.
    ///
    /// - Returns: The settings before the change. They are released after the lock, because their objects might need
    ///   it.
    @discardableResult
    func update(_ body: (inout FetcherSettings) -> Void) -> FetcherSettings {
        self.state.withLock { state in
            let before = state.settings
            body(&state.settings)
            return before
        }
    }

    /// The authorizer for the fetchers.
    ///
    /// Setting it also sets the authorizer's `fetcherService`.
    public var authorizer: (any GTMFetcherAuthorizationProtocol)? {
        get { self.settings.authorizer }
        set {
            let previous = self.update { $0.authorizer = newValue }.authorizer
            if previous !== newValue, previous?.fetcherService === self { previous?.fetcherService = nil }
            newValue?.fetcherService = self
        }
    }

    /// The `User-Agent` header for requests that do not set one.
    ///
    /// The default is ``GTMFetcherStandardUserAgentString(_:)``. Setting this property replaces ``userAgentProvider``.
    public var userAgent: String? {
        get { self.settings.userAgentProvider.map { $0.cachedUserAgent ?? $0.userAgent } }
        set {
            self.update { $0.userAgentProvider = newValue.map { GTMUserAgentStringProvider(userAgentString: $0) } }
        }
    }

    /// The maximum number of fetchers that run for a host at the same time, or 0 for no limit.
    ///
    /// The default is 10.
    public var maxRunningFetchersPerHost: UInt {
        get { self.state.withLock { $0.maxRunningFetchersPerHost } }
        set { self.state.withLock { $0.maxRunningFetchersPerHost = newValue } }
    }

    /// Sets a queue that may be concurrent, on which each fetcher's closures are called in order.
    public func setConcurrentCallbackQueue(_ queue: DispatchQueue) { self.setCallbackQueue(queue, isConcurrent: true) }

    func setCallbackQueue(_ queue: DispatchQueue?, isConcurrent: Bool = false) {
        self.state.withLock { state in
            state.settings.callbackQueue = queue
            state.hasConcurrentQueue = isConcurrent
        }
    }

    /// Returns a fetcher for a request.
    open func fetcher(with request: URLRequest) -> GTMSessionFetcher {
        self.prepared(GTMSessionFetcher(request: request))
    }

    /// Returns a fetcher for a GET request.
    public func fetcher(with requestURL: URL) -> GTMSessionFetcher { self.fetcher(with: URLRequest(url: requestURL)) }

    /// Returns a fetcher for a GET request.
    ///
    /// If the string is not a URL, the fetch fails with `downloadFailed`.
    public func fetcher(withURLString requestURLString: String) -> GTMSessionFetcher {
        guard let url = URL(string: requestURLString) else { return self.prepared(GTMSessionFetcher(request: nil)) }
        return self.fetcher(with: url)
    }

    /// Returns a fetcher of another class for a request.
    ///
    /// If the class is not a subclass of ``GTMSessionFetcher``, the result is a `GTMSessionFetcher`.
    public func fetcher(with request: URLRequest, fetcherClass: AnyClass) -> Any {
        let type = fetcherClass as? GTMSessionFetcher.Type ?? GTMSessionFetcher.self
        return self.prepared(type.init(request: request))
    }

    /// Gives a fetcher the service's settings.
    func prepared<Fetcher: GTMSessionFetcher>(_ fetcher: Fetcher) -> Fetcher {
        var (settings, isConcurrent) = self.state.withLock { ($0.settings, $0.hasConcurrentQueue) }
        if isConcurrent {
            settings.callbackQueue = DispatchQueue(label: "tessera.fetcher", target: settings.callbackQueue)
        }
        fetcher.update { state in
            state.settings = settings
            state.service = self
        }
        return fetcher
    }
}

/// The fetchers that run and those that wait for their turn.
extension GTMSessionFetcherService {
    /// Registers a fetcher that begins.
    ///
    /// - Returns: Whether the fetcher may begin now. Otherwise, it begins when another fetcher for the host ends.
    public func fetcherShouldBeginFetching(_ fetcher: GTMSessionFetcher) -> Bool {
        guard let host = fetcher.serviceHost, !host.isEmpty else { return true }
        let isUrgent = fetcher.servicePriority == .min
        return self.state.withLock { state in
            if isUrgent || state.room(for: host) > 0 {
                state.running[host, default: []].append(fetcher)
                return true
            }
            state.delayed[host, default: []].append(fetcher)
            return false
        }
    }

    /// Does nothing.
    ///
    /// A subclass can observe the beginning of fetches.
    public func fetcherDidBeginFetching(_ fetcher: GTMSessionFetcher) {}

    /// Unregisters a fetcher that has ended, and begins those that waited for it.
    public func fetcherDidStop(_ fetcher: GTMSessionFetcher) {
        let next = self.state.withLock { state -> [GTMSessionFetcher] in
            for host in Array(state.delayed.keys) { state.delayed.remove(fetcher, host) }
            for host in Array(state.running.keys) { state.running.remove(fetcher, host) }
            return state.promote()
        }
        for fetcher in next { fetcher.start() }
    }

    /// How often ``stopAllFetchers()`` was called.
    var stopCount: Int { self.state.withLock { $0.stopCount } }

    /// Stops all fetchers that run or wait, or whose completion handlers wait for a queue.
    public func stopAllFetchers() {
        let (delayed, running) = self.state.withLock { state in
            state.stopCount += 1
            return (state.delayed, state.running)
        }
        for fetcher in delayed.values.joined() { fetcher.stopFetching() }
        for fetcher in running.values.joined() { fetcher.stopFetching() }
    }

    /// Returns whether a fetcher waits for its turn.
    public func isDelaying(_ fetcher: GTMSessionFetcher) -> Bool {
        self.state.withLock { $0.delayed.values.joined().contains { $0 === fetcher } }
    }

    /// The fetchers that wait, by host, or nil if there are none.
    public var delayedFetchersByHost: [String: [Any]]? { self.state.withLock { $0.delayed.isEmpty ? nil : $0.delayed } }

    /// The fetchers that run, by host, or nil if there are none.
    public var runningFetchersByHost: [String: [Any]]? { self.state.withLock { $0.running.isEmpty ? nil : $0.running } }

    /// Returns the number of fetchers that run or wait.
    public func numberOfFetchers() -> UInt { self.numberOfRunningFetchers() + self.numberOfDelayedFetchers() }

    /// Returns the number of fetchers that run.
    public func numberOfRunningFetchers() -> UInt { self.state.withLock { UInt($0.running.values.joined().count) } }

    /// Returns the number of fetchers that wait.
    public func numberOfDelayedFetchers() -> UInt { self.state.withLock { UInt($0.delayed.values.joined().count) } }

    /// Returns the fetchers that run or wait, or nil if there are none.
    public func issuedFetchers() -> [GTMSessionFetcher]? {
        let fetchers = self.state.withLock { Array($0.running.values.joined()) + Array($0.delayed.values.joined()) }
        return fetchers.isEmpty ? nil : fetchers
    }

    /// Returns the fetchers for a URL that run or wait, or nil if there are none.
    public func issuedFetchers(withRequest requestURL: URL) -> [GTMSessionFetcher]? {
        let fetchers = self.issuedFetchers()?.filter { $0.request?.url == requestURL } ?? []
        return fetchers.isEmpty ? nil : fetchers
    }
}

extension GTMSessionFetcherService.State {
    /// Returns how many more fetchers may run for a host.
    fileprivate func room(for host: String) -> Int {
        let limit = self.maxRunningFetchersPerHost == 0 ? .max : Int(clamping: self.maxRunningFetchersPerHost)
        return max(limit - (self.running[host]?.count ?? 0), 0)
    }

    /// Moves fetchers that may begin from the delayed to the running ones.
    ///
    /// - Returns: These fetchers, in the order of their priority.
    fileprivate mutating func promote() -> [GTMSessionFetcher] {
        var next: [GTMSessionFetcher] = []
        for (host, waiting) in self.delayed {
            let sorted = waiting.enumerated()
                .sorted { ($0.element.servicePriority, $0.offset) < ($1.element.servicePriority, $1.offset) }
                .map(\.element)
            for fetcher in sorted.prefix(self.room(for: host)) {
                self.delayed.remove(fetcher, host)
                self.running[host, default: []].append(fetcher)
                next.append(fetcher)
            }
        }
        return next
    }
}

extension [String: [GTMSessionFetcher]] {
    fileprivate mutating func remove(_ fetcher: GTMSessionFetcher, _ host: String) {
        self[host]?.removeAll { $0 === fetcher }
        if self[host]?.isEmpty == true { self[host] = nil }
    }
}

/// Decorators, which the service holds weakly.
extension GTMSessionFetcherService {
    /// The decorators in the order in which they are called, or nil if there are none.
    public var decorators: [any GTMFetcherDecoratorProtocol]? {
        let decorators = self.state.withLock { $0.decorators.compactMap(\.decorator) }
        return decorators.isEmpty ? nil : decorators
    }

    /// Adds a decorator after those that were added before.
    public func addDecorator(_ decorator: any GTMFetcherDecoratorProtocol) {
        self.state.withLock { state in
            state.decorators.removeAll { $0.decorator == nil }
            state.decorators.append(WeakDecorator(decorator: decorator))
        }
    }

    /// Removes a decorator.
    public func removeDecorator(_ decorator: any GTMFetcherDecoratorProtocol) {
        self.state.withLock { $0.decorators.removeAll { $0.decorator === decorator } }
    }
}

private struct WeakDecorator: Sendable {
    weak var decorator: (any GTMFetcherDecoratorProtocol)?
}

/// A service that creates fetchers.
public protocol GTMSessionFetcherServiceProtocol: AnyObject, Sendable {
    /// Returns a fetcher for a request.
    func fetcher(with request: URLRequest) -> GTMSessionFetcher

    /// The queue for closures.
    var callbackQueue: DispatchQueue! { get }

    /// Whether fetchers share connections, which is always true.
    var reuseSession: Bool { get set }

    /// A queue for the delegate of a `URLSession`, which is always nil.
    var delegateQueue: OperationQueue? { get }
}

extension GTMSessionFetcherServiceProtocol {
    /// Whether fetchers share connections, which is always true.
    ///
    /// Setting this property has no effect.
    public var reuseSession: Bool {
        get { true }
        set { _ = newValue }
    }

    /// A queue for the delegate of a `URLSession`, which is always nil.
    public var delegateQueue: OperationQueue? { nil }
}
