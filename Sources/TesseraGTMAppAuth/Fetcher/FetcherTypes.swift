// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation

/// The domain for fetcher errors whose code is an HTTP status.
public let kGTMSessionFetcherStatusDomain = "com.google.HTTPStatus"
/// The `userInfo` key for the response body in an HTTP status error.
///
/// The value is of type `Data`. It is missing if the body is empty.
public let kGTMSessionFetcherStatusDataKey = "data"
/// The `userInfo` key for the body's `Content-Type` in an HTTP status error.
public let kGTMSessionFetcherStatusDataContentTypeKey = "data_content_type"
/// The domain for a fetcher's own errors.
///
/// The code is a ``GTMSessionFetcherError``.
public let kGTMSessionFetcherErrorDomain = "com.google.GTMSessionFetcher"
/// The `userInfo` key for the number of retries before an error, an `Int`.
public let kGTMSessionFetcherNumberOfRetriesDoneKey = "kGTMSessionFetcherNumberOfRetriesDoneKey"
/// The `userInfo` key for the seconds between the first attempt and an error, a `TimeInterval`.
public let kGTMSessionFetcherElapsedIntervalWithRetriesKey = "kGTMSessionFetcherElapsedIntervalWithRetriesKey"
/// The key for the response body in the user info of `Notification.Name.gtmSessionFetcherCompletionInvoked`.
public let kGTMSessionFetcherCompletionDataKey = "data"
/// The key for the error in the user info of `Notification.Name.gtmSessionFetcherCompletionInvoked`.
public let kGTMSessionFetcherCompletionErrorKey = "error"

/// The codes for GTMSessionFetcher's own errors.
public enum GTMSessionFetcherError: Int, Sendable {
    /// The fetch could not begin, for example because there is no URL.
    case downloadFailed = -1
    /// The provider of an upload's data supplied none.
    case uploadChunkUnavailable = -2
    /// The system ended the app's time in the background.
    ///
    /// Tessera never reports this error.
    case backgroundExpiration = -3
    /// A fetch in a background session failed.
    ///
    /// Tessera never reports this error.
    case backgroundFetchFailed = -4
    /// The URL is not https, and its scheme is not permitted.
    case insecureRequest = -5
    /// The request cannot be sent, for example because its method is invalid.
    case taskCreationFailed = -6
    /// The fetcher was stopped.
    ///
    /// See ``GTMSessionFetcher/stopFetchingTriggersCompletionHandler``.
    case userCancelled = -7
}

/// HTTP statuses that apps often compare with the code of an error in ``kGTMSessionFetcherStatusDomain``.
public enum GTMSessionFetcherStatus: Int, Sendable {
    /// 304 Not Modified.
    case notModified = 304
    /// 400 Bad Request.
    case badRequest = 400
    /// 401 Unauthorized.
    case unauthorized = 401
    /// 403 Forbidden.
    case forbidden = 403
    /// 412 Precondition Failed.
    case preconditionFailed = 412
}

/// The notifications of fetchers, which are posted on the main queue with the fetcher as their object.
extension NSNotification.Name {
    /// A fetcher begins an attempt.
    public static let gtmSessionFetcherStarted = Self("kGTMSessionFetcherStartedNotification")
    /// An attempt of a fetcher has ended.
    public static let gtmSessionFetcherStopped = Self("kGTMSessionFetcherStoppedNotification")
    /// A fetcher begins to wait for its next attempt.
    public static let gtmSessionFetcherRetryDelayStarted = Self("kGTMSessionFetcherRetryDelayStartedNotification")
    /// A fetcher has waited for its next attempt.
    public static let gtmSessionFetcherRetryDelayStopped = Self("kGTMSessionFetcherRetryDelayStoppedNotification")
    /// A completion handler was called.
    ///
    /// The user info contains what it received.
    public static let gtmSessionFetcherCompletionInvoked = Self("kGTMSessionFetcherCompletionInvokedNotification")
    /// An upload fetcher knows the URL at which the upload can be resumed.
    public static let gtmSessionFetcherUploadLocationObtained = Self(
        "kGTMSessionFetcherUploadLocationObtainedNotification"
    )
    /// An upload fetcher begins to wait before it repeats a chunk.
    public static let gtmSessionFetcherUploadInitialBackoffStarted = Self(
        "kGTMSessionFetcherUploadInitialBackoffStartedNotification"
    )
}

/// A closure that receives the response body and an error.
public typealias GTMSessionFetcherCompletionHandler = (Data?, (any Error)?) -> Void
/// A closure that changes a configuration before the fetcher uses it.
public typealias GTMSessionFetcherConfigurationBlock = (GTMSessionFetcher, URLSessionConfiguration) -> Void
/// A closure that takes the stream with a request's body.
public typealias GTMSessionFetcherBodyStreamProviderResponse = (InputStream) -> Void
/// A closure that takes the decision about a challenge.
public typealias GTMSessionFetcherChallengeDispositionBlock = (
    URLSession.AuthChallengeDisposition, URLCredential?
) -> Void
/// A closure that decides about a challenge.
public typealias GTMSessionFetcherChallengeBlock = (
    GTMSessionFetcher, URLAuthenticationChallenge, @escaping GTMSessionFetcherChallengeDispositionBlock
) -> Void
/// A closure that takes the response to cache, or nil.
public typealias GTMSessionFetcherWillCacheURLResponseResponse = (CachedURLResponse?) -> Void
/// A closure that decides which response to cache.
public typealias GTMSessionFetcherWillCacheURLResponseBlock = (
    CachedURLResponse, @escaping GTMSessionFetcherWillCacheURLResponseResponse
) -> Void
/// A closure that receives the metrics of a task.
public typealias GTMSessionFetcherMetricsCollectionBlock = (URLSessionTaskMetrics) -> Void
/// A closure that creates a session with a delegate.
public typealias GTMSessionFetcherSessionCreationBlock = ((any URLSessionDelegate)?) -> URLSession?
/// A closure that the system supplies for events of a background session.
public typealias GTMSessionFetcherSystemCompletionHandler = () -> Void
/// A closure that receives simulated progress.
public typealias GTMSessionFetcherSimulateByteTransferBlock = (Data?, Int64, Int64, Int64) -> Void
/// A closure that supplies the stream with a request's body, once for each attempt.
public typealias GTMSessionFetcherBodyStreamProvider = (@escaping GTMSessionFetcherBodyStreamProviderResponse) -> Void
/// A closure that takes the decision whether to read a response.
public typealias GTMSessionFetcherDidReceiveResponseDispositionBlock = (URLSession.ResponseDisposition) -> Void
/// A closure that decides whether to read a response.
public typealias GTMSessionFetcherDidReceiveResponseBlock = (
    URLResponse, @escaping GTMSessionFetcherDidReceiveResponseDispositionBlock
) -> Void
/// A closure that takes the next request, or nil to end the fetch with the redirect as its response.
public typealias GTMSessionFetcherWillRedirectResponse = (URLRequest?) -> Void
/// A closure that decides about a redirect.
public typealias GTMSessionFetcherWillRedirectBlock = (
    HTTPURLResponse, URLRequest, @escaping GTMSessionFetcherWillRedirectResponse
) -> Void
/// A closure that receives the parts of a body, or nil if the body starts over.
public typealias GTMSessionFetcherAccumulateDataBlock = (Data?) -> Void
/// A closure that receives the number of new bytes and of all bytes of a body in memory.
public typealias GTMSessionFetcherReceivedProgressBlock = (Int64, Int64) -> Void
/// A closure that receives the number of new bytes, of all bytes, and of expected bytes of a download, or -1.
public typealias GTMSessionFetcherDownloadProgressBlock = (Int64, Int64, Int64) -> Void
/// A closure that receives the number of new bytes, of all bytes, and of expected bytes that were sent, or -1.
public typealias GTMSessionFetcherSendProgressBlock = (Int64, Int64, Int64) -> Void
/// A closure that takes the decision whether to retry.
public typealias GTMSessionFetcherRetryResponse = (Bool) -> Void
/// A closure that decides about a retry.
///
/// It receives what the fetcher would do and the error.
public typealias GTMSessionFetcherRetryBlock = (Bool, (any Error)?, @escaping GTMSessionFetcherRetryResponse) -> Void
/// A closure that takes a test's response, body and error.
public typealias GTMSessionFetcherTestResponse = (HTTPURLResponse?, Data?, (any Error)?) -> Void
/// A closure that replaces the network in a test.
///
/// If all values that it supplies are nil, the request is sent. If it supplies none, the fetch continues until it is
/// stopped.
public typealias GTMSessionFetcherTestBlock = (GTMSessionFetcher, @escaping GTMSessionFetcherTestResponse) -> Void
/// A closure that takes a decorator's request and error.
public typealias GTMFetcherDecoratorFetcherWillStartCompletionHandler = (URLRequest?, (any Error)?) -> Void

/// An object that changes a service's requests and observes their results.
public protocol GTMFetcherDecoratorProtocol: AnyObject, Sendable {
    /// Changes a request before each attempt.
    ///
    /// - Parameters:
    ///   - fetcher: The fetcher.
    ///   - handler: Takes the new request, or nil to keep it, or an error that ends the fetch.
    func fetcherWillStart(
        _ fetcher: GTMSessionFetcher,
        completionHandler handler: @escaping @Sendable (URLRequest?, (any Error)?) -> Void
    )

    /// Observes the result of a fetch before its completion handler is called.
    func fetcherDidFinish(
        _ fetcher: GTMSessionFetcher,
        with data: Data?,
        error: (any Error)?,
        completionHandler handler: @escaping @Sendable () -> Void
    )
}

extension GTMFetcherDecoratorProtocol {
    /// Returns the request for an attempt.
    ///
    /// - Throws: The error with which the decorator ends the fetch.
    public func fetcherWillStart(_ fetcher: GTMSessionFetcher) async throws -> URLRequest {
        try await self.changedRequest(of: fetcher) ?? fetcher.request ?? URLRequest(url: URL(filePath: "/"))
    }

    /// Observes the result of a fetch.
    public func fetcherDidFinish(_ fetcher: GTMSessionFetcher, with data: Data?, error: (any Error)?) async {
        await SharedResult.value(otherwise: ()) { done in
            self.fetcherDidFinish(fetcher, with: data, error: error) { done(()) }
        }
    }

    /// Returns the changed request, or nil if the decorator keeps it.
    ///
    /// - Throws: The error with which the decorator ends the fetch.
    func changedRequest(of fetcher: GTMSessionFetcher) async throws -> URLRequest? {
        let result: Result<URLRequest?, any Error> = await SharedResult.value(otherwise: .success(nil)) { supply in
            self.fetcherWillStart(fetcher) { request, error in supply(error.map { .failure($0) } ?? .success(request)) }
        }
        return try result.get()
    }
}

#if canImport(ObjectiveC)
/// Returns all bytes of a stream, or nil if it cannot be read.
///
/// The stream is opened and closed. `outError` receives its error.
public func GTMDataFromInputStream(_ inputStream: InputStream, _ outError: NSErrorPointer) -> Data? {
    inputStream.open()
    defer { inputStream.close() }
    var data = Data()
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = inputStream.read(&bytes, maxLength: bytes.count)
        guard count >= 0 else {
            outError?.pointee = inputStream.streamError as NSError?
            return nil
        }
        if count == 0 { return data }
        data.append(contentsOf: bytes.prefix(count))
    }
}
#endif
