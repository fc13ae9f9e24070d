// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Dispatch
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation

/// The settings of the fetchers that the service creates.
///
/// Each has the meaning of the fetcher's property with the same name.
extension GTMSessionFetcherService {
    /// The queue for closures.
    ///
    /// The default is the main queue.
    public var callbackQueue: DispatchQueue! {
        get { self.settings.callbackQueue ?? .main }
        set { self.setCallbackQueue(newValue) }
    }

    /// See ``GTMSessionFetcher/configuration``.
    public var configuration: URLSessionConfiguration? {
        get { self.settings.configuration }
        set { self.update { $0.configuration = newValue } }
    }

    /// See ``GTMSessionFetcher/configurationBlock``.
    public var configurationBlock: GTMSessionFetcherConfigurationBlock? {
        get { self.settings.configurationBlock }
        set { self.update { $0.configurationBlock = newValue } }
    }

    /// See ``GTMSessionFetcher/allowedInsecureSchemes``.
    public var allowedInsecureSchemes: [String]? {
        get { self.settings.allowedInsecureSchemes }
        set { self.update { $0.allowedInsecureSchemes = newValue } }
    }

    /// See ``GTMSessionFetcher/allowLocalhostRequest``.
    public var allowLocalhostRequest: Bool {
        get { self.settings.allowsLocalhost }
        set { self.update { $0.allowsLocalhost = newValue } }
    }

    /// See ``GTMSessionFetcher/isRetryEnabled``.
    public var isRetryEnabled: Bool {
        get { self.settings.isRetryEnabled }
        set { self.update { $0.enableRetries(newValue) } }
    }

    /// See ``GTMSessionFetcher/retryBlock``.
    public var retryBlock: GTMSessionFetcherRetryBlock? {
        get { self.settings.retryBlock }
        set { self.update { $0.retryBlock = newValue } }
    }

    /// See ``GTMSessionFetcher/maxRetryInterval``.
    ///
    /// The value is 0 if it is not set.
    public var maxRetryInterval: TimeInterval {
        get { self.settings.maxRetryInterval ?? 0 }
        set { self.update { $0.maxRetryInterval = newValue > 0 ? newValue : nil } }
    }

    /// See ``GTMSessionFetcher/minRetryInterval``.
    ///
    /// The value is 0 if it is not set.
    public var minRetryInterval: TimeInterval {
        get { self.settings.minRetryInterval ?? 0 }
        set { self.update { $0.minRetryInterval = newValue > 0 ? newValue : nil } }
    }

    /// See ``GTMSessionFetcher/properties``.
    public var properties: [String: Any]? {
        get { self.settings.properties }
        set { self.update { $0.properties = newValue } }
    }

    /// See ``GTMSessionFetcher/stopFetchingTriggersCompletionHandler``.
    public var stopFetchingTriggersCompletionHandler: Bool {
        get { self.settings.stopTriggersHandler }
        set { self.update { $0.stopTriggersHandler = newValue } }
    }

    /// See ``GTMSessionFetcher/userAgentProvider``.
    public var userAgentProvider: (any GTMUserAgentProvider)? {
        get { self.settings.userAgentProvider }
        set { self.update { $0.userAgentProvider = newValue } }
    }

    /// See ``GTMSessionFetcher/testBlock``.
    public var testBlock: GTMSessionFetcherTestBlock? {
        get { self.settings.testBlock }
        set { self.update { $0.testBlock = newValue } }
    }
}

/// Tests without a network.
extension GTMSessionFetcherService {
    /// Returns a service whose fetchers end with given data and error.
    ///
    /// The status is 200, or 500 with an error.
    public class func mockFetcherService(withFakedData fakedDataOrNil: Data?, fakedError fakedErrorOrNil: (any Error)?)
        -> Self
    {
        self.mock { url in
            let status = fakedErrorOrNil == nil ? 200 : 500
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil)
            return (response, fakedDataOrNil, fakedErrorOrNil)
        }
    }

    /// Returns a service whose fetchers end with a given response, data and error.
    public class func mockFetcherService(
        withFakedData fakedDataOrNil: Data?,
        fakedResponse: HTTPURLResponse,
        fakedError fakedErrorOrNil: (any Error)?
    ) -> Self {
        self.mock { _ in (fakedResponse, fakedDataOrNil, fakedErrorOrNil) }
    }

    private class func mock(_ result: @escaping (URL) -> (HTTPURLResponse?, Data?, (any Error)?)) -> Self {
        let service = self.init()
        service.testBlock = { fetcher, answer in
            let (response, data, error) = result(fetcher.request?.url ?? URL(filePath: "/"))
            answer(response, data, error)
        }
        return service
    }

    /// Waits until all fetchers have ended and their completion handlers have returned, for at most the given number of
    /// seconds.
    ///
    /// The main run loop runs in the meantime if this method is called on the main thread.
    ///
    /// - Returns: Whether they have ended.
    @available(*, deprecated, message: "Await beginFetch().")
    public func waitForCompletionOfAllFetchers(withTimeout timeoutInSeconds: TimeInterval) -> Bool {
        self.handlers.wait(for: timeoutInSeconds) { self.numberOfFetchers() == 0 }
    }
}

extension GTMSessionFetcher {
    /// Waits until the fetch has ended and its completion handler has returned, for at most the given number of
    /// seconds.
    ///
    /// The main run loop runs in the meantime if this method is called on the main thread.
    ///
    /// - Returns: Whether it has ended.
    @available(*, deprecated, message: "Await beginFetch().")
    public func waitForCompletion(withTimeout timeoutInSeconds: TimeInterval) -> Bool {
        self.handlers.wait(for: timeoutInSeconds) { !self.isFetching }
    }
}

extension DispatchGroup {
    /// Waits until a condition is true and the group is empty, for at most a number of seconds.
    fileprivate func wait(for seconds: TimeInterval, until isDone: () -> Bool) -> Bool {
        let end = DispatchTime.now() + seconds
        while !isDone() || self.wait(timeout: .now()) == .timedOut {
            guard .now() < end else { return false }
            if Thread.isMainThread {
                RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.01))
            } else {
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
        return true
    }
}
