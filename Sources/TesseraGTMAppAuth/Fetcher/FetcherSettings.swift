// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Foundation

/// The settings that a service passes on to the fetchers it creates.
///
/// The conformance to `Sendable` is `@unchecked`, because apps written for GTMSessionFetcher set closures and
/// properties that are not `Sendable`. It is safe because the closures are called only on the fetcher's callback queue,
/// and the properties are only passed back to the app.
struct FetcherSettings: @unchecked Sendable {
    var authorizer: (any GTMSessionFetcherAuthorizer)?
    var callbackQueue: DispatchQueue?
    var configuration: URLSessionConfiguration?
    var configurationBlock: GTMSessionFetcherConfigurationBlock?
    var allowedInsecureSchemes: [String]?
    var allowsLocalhost = false
    var isRetryEnabled = false
    var retryBlock: GTMSessionFetcherRetryBlock?
    /// The longest wait in seconds, or nil for the default of the request's method.
    var maxRetryInterval: TimeInterval?
    /// The first wait in seconds, or nil for a random one.
    var minRetryInterval: TimeInterval?
    var retryFactor = 2.0
    var properties: [String: Any]?
    var stopTriggersHandler = false
    var userAgentProvider: (any GTMUserAgentProvider)?
    var testBlock: GTMSessionFetcherTestBlock?

    mutating func enableRetries(_ isEnabled: Bool) {
        self.isRetryEnabled = isEnabled
        self.maxRetryInterval = nil
        self.minRetryInterval = nil
        self.retryFactor = 2
    }

    /// Returns whether requests for a URL with a scheme are permitted although it is not https.
    func permits(insecureScheme scheme: String) -> Bool {
        self.allowedInsecureSchemes?.contains { $0.caseInsensitiveCompare(scheme) == .orderedSame } == true
    }
}

/// The state of a fetcher.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``FetcherSettings``.
struct FetcherState: @unchecked Sendable {
    var settings = FetcherSettings()
    /// The service, which refers to its fetchers only while they run or wait.
    var service: GTMSessionFetcherService?
    /// The upload for which this fetcher sends a request.
    weak var parent: GTMSessionFetcher?
    /// The request that the app set, with which each attempt begins.
    var request: URLRequest?
    /// The last request that was sent, with the user agent, the authorization and the URL of a redirect.
    ///
    /// Another attempt must not begin with it, because a redirect can have led to a server that must not receive a
    /// token.
    var sentRequest: URLRequest?
    var serviceHost: String?
    var servicePriority = 0
    var comment: String?
    var log: String?
    var userData: Any?
    var taskDescription: String?
    var taskPriority: Float = 0.5

    var bodyData: Data?
    var bodyFileURL: URL?
    var bodyStreamProvider: GTMSessionFetcherBodyStreamProvider?
    var destinationFileURL: URL?

    var didReceiveResponseBlock: GTMSessionFetcherDidReceiveResponseBlock?
    var willRedirectBlock: GTMSessionFetcherWillRedirectBlock?
    var sendProgressBlock: GTMSessionFetcherSendProgressBlock?
    var accumulateDataBlock: GTMSessionFetcherAccumulateDataBlock?
    var receivedProgressBlock: GTMSessionFetcherReceivedProgressBlock?
    var downloadProgressBlock: GTMSessionFetcherDownloadProgressBlock?
    var completion: FetchCompletion?
    var testBlockAccumulateDataChunkCount = UInt(0)

    /// The task of the current fetch.
    var task: Task<Void, Never>?
    var isFetching = false
    /// Whether the app has stopped the fetcher, which then never fetches again.
    var isStopped = false
    /// How often the service's fetchers had been stopped when the fetch began.
    var serviceStopCount = 0
    var firstBeginDate: Date?
    var retryCount = UInt(0)
    /// The last wait in seconds.
    var lastRetryInterval: TimeInterval = 0
    /// The wait in seconds that the last response required.
    var retryAfter: TimeInterval?
    /// The first wait in seconds if the app set none.
    ///
    /// It is random, so that fetchers which failed at the same time do not retry at the same time.
    var randomRetryInterval = TimeInterval.random(in: 1...2)
    var response: HTTPURLResponse?
    var responseHeaders: [String: String]?
    var downloadedData: Data?
    var downloadedLength = Int64(0)

    /// Sets the request for the next attempt.
    ///
    /// The app can have changed the request that was sent last. The token in it is removed, because the new URL might
    /// not be one that it may be sent to.
    mutating func replaceRequest(_ request: URLRequest?) {
        let field = "Authorization"
        let token = self.sentRequest?.value(forHTTPHeaderField: field)
        let isOwn = self.request?.value(forHTTPHeaderField: field) == token
        self.request = request
        self.sentRequest = nil
        if token != nil, !isOwn, request?.value(forHTTPHeaderField: field) == token {
            self.request?.setValue(nil, forHTTPHeaderField: field)
        }
    }

    /// Begins a fetch, without any result of an earlier one.
    mutating func begin(_ completion: FetchCompletion, at date: Date, serviceStopCount: Int) {
        self.isFetching = true
        self.completion = completion
        self.firstBeginDate = self.firstBeginDate ?? date
        self.serviceStopCount = serviceStopCount
        self.sentRequest = nil
        self.retryCount = 0
        self.lastRetryInterval = 0
        self.retryAfter = nil
        self.response = nil
        self.responseHeaders = nil
        self.downloadedData = nil
        self.downloadedLength = 0
    }

    /// Ends a fetch, and releases the closures.
    mutating func end() {
        self.isFetching = false
        self.task = nil
        self.completion = nil
        self.bodyStreamProvider = nil
        self.didReceiveResponseBlock = nil
        self.willRedirectBlock = nil
        self.sendProgressBlock = nil
        self.accumulateDataBlock = nil
        self.receivedProgressBlock = nil
        self.downloadProgressBlock = nil
        self.settings.retryBlock = nil
        self.settings.testBlock = nil
        self.settings.configurationBlock = nil
    }

    /// The queue for closures.
    var callbackQueue: DispatchQueue { self.settings.callbackQueue ?? .main }

    /// The first wait in seconds.
    var minRetryInterval: TimeInterval { self.settings.minRetryInterval ?? self.randomRetryInterval }

    /// The longest wait in seconds.
    var maxRetryInterval: TimeInterval {
        let isSafe = ["GET", "HEAD"].contains(((self.sentRequest ?? self.request)?.httpMethod ?? "GET").uppercased())
        return self.settings.maxRetryInterval ?? (isSafe ? 60 : 600)
    }

    /// The wait before the next attempt, in seconds.
    ///
    /// A server that requires no wait at all would otherwise cause a request without end.
    var nextRetryInterval: TimeInterval {
        let next = self.retryAfter ?? min(self.lastRetryInterval * self.settings.retryFactor, self.maxRetryInterval)
        return max(next, self.minRetryInterval)
    }

    /// Whether the app set a body that is not part of the request.
    var hasBody: Bool { self.bodyData != nil || self.bodyFileURL != nil || self.bodyStreamProvider != nil }
}
