// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Dispatch
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation

/// The request and its body.
extension GTMSessionFetcher {
    /// The request.
    ///
    /// After the request has been sent, this is the last request after redirects, with the `User-Agent` and
    /// `Authorization` headers that it had. A retry begins with the request that the app set last, and is authorized
    /// again.
    public var request: URLRequest? {
        get {
            let state = self.snapshot()
            return state.sentRequest ?? state.request
        }
        set { self.update { $0.replaceRequest(newValue) } }
    }

    /// Sets a header field of the request, or removes it if the value is nil.
    public func setRequestValue(_ value: String?, forHTTPHeaderField field: String) {
        self.update { state in
            state.request?.setValue(value, forHTTPHeaderField: field)
            state.sentRequest?.setValue(value, forHTTPHeaderField: field)
        }
    }

    /// The request body, which replaces the body of the request itself.
    ///
    /// With a body, the method GET becomes POST.
    public var bodyData: Data? {
        get { self.snapshot().bodyData }
        set { self.update { $0.bodyData = newValue } }
    }

    /// A file with the request body.
    ///
    /// With a body, the method GET becomes POST. If the file cannot be read, the fetch fails with an error in
    /// `NSCocoaErrorDomain`.
    public var bodyFileURL: URL? {
        get { self.snapshot().bodyFileURL }
        set { self.update { $0.bodyFileURL = newValue } }
    }

    /// A closure that supplies a stream with the request body.
    ///
    /// The closure is called each time the body is sent. With a body, the method GET becomes POST.
    public var bodyStreamProvider: GTMSessionFetcherBodyStreamProvider? {
        get { self.snapshot().bodyStreamProvider }
        set { self.update { $0.bodyStreamProvider = newValue } }
    }

    /// The length of the request body in bytes, or -1 if it is not known.
    public var bodyLength: Int64 {
        let state = self.snapshot()
        if let data = state.bodyData { return Int64(data.count) }
        if let file = state.bodyFileURL {
            let size = try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize
            return size.flatMap { $0 }.map(Int64.init) ?? -1
        }
        if state.bodyStreamProvider != nil || state.request?.httpBodyStream != nil { return -1 }
        return Int64(state.request?.httpBody?.count ?? 0)
    }

    /// The configuration, from which the fetcher takes the header fields in `httpAdditionalHeaders` that the request
    /// does not have.
    ///
    /// All other properties are ignored, because the transport is not a `URLSession`.
    public var configuration: URLSessionConfiguration? {
        get { self.snapshot().settings.configuration }
        set { self.update { $0.settings.configuration = newValue } }
    }

    /// A closure that changes the configuration before the first attempt.
    public var configurationBlock: GTMSessionFetcherConfigurationBlock? {
        get { self.snapshot().settings.configurationBlock }
        set { self.update { $0.settings.configurationBlock = newValue } }
    }

    /// The provider of the `User-Agent` header for a request that has none.
    public var userAgentProvider: (any GTMUserAgentProvider)? {
        get { self.snapshot().settings.userAgentProvider }
        set { self.update { $0.settings.userAgentProvider = newValue } }
    }
}

/// Authorization and security.
extension GTMSessionFetcher {
    /// The authorizer, or nil to send the request without authorization.
    ///
    /// A request that already has an `Authorization` header is sent unchanged.
    public var authorizer: (any GTMFetcherAuthorizationProtocol)? {
        get { self.snapshot().settings.authorizer }
        set { self.update { $0.settings.authorizer = newValue } }
    }

    /// Whether http is permitted for connections to this machine.
    public var allowLocalhostRequest: Bool {
        get { self.snapshot().settings.allowsLocalhost }
        set { self.update { $0.settings.allowsLocalhost = newValue } }
    }

    /// The schemes other than https that are permitted: `http` for connections to this machine, `file` and `data`.
    ///
    /// http to other machines is never permitted, because anyone on the network could read the token.
    public var allowedInsecureSchemes: [String]? {
        get { self.snapshot().settings.allowedInsecureSchemes }
        set { self.update { $0.settings.allowedInsecureSchemes = newValue } }
    }
}

/// The service that created the fetcher.
extension GTMSessionFetcher {
    /// The service, or nil.
    public var service: GTMSessionFetcherService! {
        get { self.snapshot().service }
        set { self.update { $0.service = newValue } }
    }

    /// The host for the service's limit.
    ///
    /// The default is the request's host, or `localhost` for a file URL.
    public var serviceHost: String? {
        get {
            let state = self.snapshot()
            let url = state.request?.url
            return state.serviceHost ?? url?.host() ?? (url?.isFileURL == true ? "localhost" : nil)
        }
        set { self.update { $0.serviceHost = newValue } }
    }

    /// The priority among delayed fetchers.
    ///
    /// The lowest value begins first. With `Int.min`, a fetcher is never delayed.
    public var servicePriority: Int {
        get { self.snapshot().servicePriority }
        set { self.update { $0.servicePriority = newValue } }
    }
}

/// Callbacks.
extension GTMSessionFetcher {
    /// The queue for closures.
    ///
    /// The default is the main queue.
    public var callbackQueue: DispatchQueue! {
        get { self.snapshot().callbackQueue }
        set { self.update { $0.settings.callbackQueue = newValue } }
    }

    /// The completion handler, while the fetcher is fetching.
    ///
    /// Setting it has no effect at other times, and if a task waits for the result.
    public var completionHandler: GTMSessionFetcherCompletionHandler? {
        get { self.snapshot().completion?.handler }
        set {
            self.update { state in
                if state.completion?.isCalledAfterStop == false { state.completion = FetchCompletion(newValue) }
            }
        }
    }

    /// Whether the completion handler is called with `userCancelled` after ``stopFetching()``.
    ///
    /// The default is false.
    public var stopFetchingTriggersCompletionHandler: Bool {
        get { self.snapshot().settings.stopTriggersHandler }
        set { self.update { $0.settings.stopTriggersHandler = newValue } }
    }

    /// A closure that decides whether to read a response.
    ///
    /// Every value except `.cancel` reads it.
    public var didReceiveResponseBlock: GTMSessionFetcherDidReceiveResponseBlock? {
        get { self.snapshot().didReceiveResponseBlock }
        set { self.update { $0.didReceiveResponseBlock = newValue } }
    }

    /// A closure that decides about a redirect.
    ///
    /// It is called only for redirects that would be followed.
    public var willRedirectBlock: GTMSessionFetcherWillRedirectBlock? {
        get { self.snapshot().willRedirectBlock }
        set { self.update { $0.willRedirectBlock = newValue } }
    }

    /// A closure that receives the progress of sending the request body.
    public var sendProgressBlock: GTMSessionFetcherSendProgressBlock? {
        get { self.snapshot().sendProgressBlock }
        set { self.update { $0.sendProgressBlock = newValue } }
    }

    /// A closure that receives the response body in parts.
    ///
    /// The completion handler then receives no data. This also applies to the body of an error.
    public var accumulateDataBlock: GTMSessionFetcherAccumulateDataBlock? {
        get { self.snapshot().accumulateDataBlock }
        set { self.update { $0.accumulateDataBlock = newValue } }
    }

    /// A closure that receives the progress of a response body in memory.
    public var receivedProgressBlock: GTMSessionFetcherReceivedProgressBlock? {
        get { self.snapshot().receivedProgressBlock }
        set { self.update { $0.receivedProgressBlock = newValue } }
    }

    /// A closure that receives the progress of a download to ``destinationFileURL``.
    public var downloadProgressBlock: GTMSessionFetcherDownloadProgressBlock? {
        get { self.snapshot().downloadProgressBlock }
        set { self.update { $0.downloadProgressBlock = newValue } }
    }
}

/// Retries.
extension GTMSessionFetcher {
    /// Whether the fetcher retries after the statuses 408, 502, 503 and 504, after timeouts, and after lost
    /// connections.
    ///
    /// Setting this property resets the intervals and the factor. The default is false.
    public var isRetryEnabled: Bool {
        get { self.snapshot().settings.isRetryEnabled }
        set { self.update { $0.settings.enableRetries(newValue) } }
    }

    /// A closure that decides about retries.
    ///
    /// It is called after every error and status from 300, if ``isRetryEnabled`` is true and the limits permit another
    /// attempt, and after a 401 response if the authorizer can replace the token. It is not called if the request could
    /// not be sent, for example because the authorizer failed. Without a decision, there is no retry.
    public var retryBlock: GTMSessionFetcherRetryBlock? {
        get { self.snapshot().settings.retryBlock }
        set { self.update { $0.settings.retryBlock = newValue } }
    }

    /// The longest wait before a retry, in seconds.
    ///
    /// Retries end when the next wait would not be shorter, or three times as many seconds after the first attempt. The
    /// default is 60 for GET and HEAD and 600 for other methods, or -1 before the fetcher begins. A wait that the
    /// server requires can be longer.
    public var maxRetryInterval: TimeInterval {
        get {
            let state = self.snapshot()
            return state.settings.maxRetryInterval ?? (state.firstBeginDate == nil ? -1 : state.maxRetryInterval)
        }
        set { self.update { $0.settings.maxRetryInterval = newValue > 0 ? newValue : nil } }
    }

    /// The wait before the first retry, in seconds.
    ///
    /// The default is random, between 1 and 2. A value of 0 or less chooses another one.
    public var minRetryInterval: TimeInterval {
        get { self.snapshot().minRetryInterval }
        set {
            self.update { state in
                state.settings.minRetryInterval = newValue > 0 ? newValue : nil
                state.randomRetryInterval = .random(in: 1...2)
            }
        }
    }

    /// The factor by which the wait grows with each retry.
    ///
    /// The default is 2.
    public var retryFactor: Double {
        get { self.snapshot().settings.retryFactor }
        set { self.update { $0.settings.retryFactor = newValue } }
    }

    /// The number of retries so far.
    public var retryCount: UInt { self.snapshot().retryCount }

    /// The wait before the next retry, in seconds.
    public var nextRetryInterval: TimeInterval { self.snapshot().nextRetryInterval }
}

/// The result.
extension GTMSessionFetcher {
    /// Whether the fetcher is waiting for a response, for a retry or for its turn.
    public var isFetching: Bool { self.snapshot().isFetching }

    /// The response's status, or 0 before the response arrives.
    public var statusCode: Int { self.snapshot().response?.statusCode ?? 0 }

    /// The response's header fields, with the names in the form `Content-Type`, or nil before the response arrives.
    public var responseHeaders: [String: String]? { self.snapshot().responseHeaders }

    /// The response without its body, or nil before it arrives.
    public var response: URLResponse? { self.snapshot().response }

    /// The number of bytes of the response body so far.
    public var downloadedLength: Int64 { self.snapshot().downloadedLength }

    /// The response body, or nil before the end of the fetch.
    public var downloadedData: Data? { self.snapshot().downloadedData }

    /// A file to which the response body is written if the status is 2xx.
    ///
    /// An existing file is replaced, and missing directories are created. A failed fetch leaves no file.
    public var destinationFileURL: URL? {
        get { self.snapshot().destinationFileURL }
        set { self.update { $0.destinationFileURL = newValue } }
    }

    /// The date of the first ``beginFetch(completionHandler:)``.
    public var initialBeginFetchDate: Date? { self.snapshot().firstBeginDate }
}

/// The app's own values, which the fetcher does not use.
extension GTMSessionFetcher {
    /// Any object.
    public var userData: Any? {
        get { self.snapshot().userData }
        set { self.update { $0.userData = newValue } }
    }

    /// Any values.
    public var properties: [String: Any]? {
        get { self.snapshot().settings.properties }
        set { self.update { $0.settings.properties = newValue } }
    }

    /// Sets one of the ``properties``, or removes it if the value is nil.
    public func setProperty(_ obj: Any?, forKey key: String) {
        self.update { state in
            if obj == nil, state.settings.properties == nil { return }
            state.settings.properties = state.settings.properties ?? [:]
            state.settings.properties?[key] = obj
        }
    }

    /// Returns one of the ``properties``.
    public func property(forKey key: String) -> Any? { self.snapshot().settings.properties?[key] }

    /// Adds values to ``properties``.
    public func addProperties(from dict: [String: Any]) {
        self.update { state in state.settings.properties = (state.settings.properties ?? [:]).merging(dict) { $1 } }
    }

    /// A comment.
    public var comment: String? {
        get { self.snapshot().comment }
        set { self.update { $0.comment = newValue } }
    }

    /// A log text.
    public var log: String? {
        get { self.snapshot().log }
        set { self.update { $0.log = newValue } }
    }

    /// A description.
    public var taskDescription: String? {
        get { self.snapshot().taskDescription }
        set { self.update { $0.taskDescription = newValue } }
    }

    /// A priority between 0 and 1.
    public var taskPriority: Float {
        get { self.snapshot().taskPriority }
        set { self.update { $0.taskPriority = newValue } }
    }
}

/// Tests.
extension GTMSessionFetcher {
    /// A closure that replaces the network, or nil.
    public var testBlock: GTMSessionFetcherTestBlock? {
        get { self.snapshot().settings.testBlock }
        set { self.update { $0.settings.testBlock = newValue } }
    }

    /// The number of parts in which ``accumulateDataBlock`` receives the body from ``testBlock``.
    ///
    /// With 0, there is one part.
    public var testBlockAccumulateDataChunkCount: UInt {
        get { self.snapshot().testBlockAccumulateDataChunkCount }
        set { self.update { $0.testBlockAccumulateDataChunkCount = newValue } }
    }
}
