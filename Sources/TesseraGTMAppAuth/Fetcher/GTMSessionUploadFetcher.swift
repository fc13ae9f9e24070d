// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Dispatch
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation
internal import TesseraSupport

/// The length of an upload that is not known in advance.
public let kGTMSessionUploadFetcherUnknownFileSize: Int64 = -1
/// The chunk size with which an upload consists of one chunk, if it is not too large to be held in memory.
public let kGTMSessionUploadFetcherStandardChunkSize: Int64 = .max
#if canImport(UIKit)
/// The largest chunk that is held in memory, in bytes.
public let kGTMSessionUploadFetcherMaximumDemandBufferSize: Int64 = 10 << 20
#else
/// The largest chunk that is held in memory, in bytes.
public let kGTMSessionUploadFetcherMaximumDemandBufferSize: Int64 = 100 << 20
#endif

/// A closure that takes a chunk, the length of the upload (or -1), and an error.
public typealias GTMSessionUploadFetcherDataProviderResponse = (Data?, Int64, (any Error)?) -> Void
/// A closure that supplies the chunk with an offset and a length.
public typealias GTMSessionUploadFetcherDataProvider = (
    Int64, Int64, @escaping GTMSessionUploadFetcherDataProviderResponse
) -> Void
/// A closure that receives the fetcher, the body and the error of the request that canceled an upload.
public typealias GTMSessionUploadFetcherCancellationHandler = (GTMSessionFetcher?, Data?, (any Error)?) -> Void

/// Uploads data in chunks with Google's resumable upload protocol.
///
/// The first request, which is sent like that of any fetcher, yields the URL for the chunks. Chunk requests are
/// not authorized, because this URL authorizes them. After a failed chunk, the fetcher asks the server how much it has
/// received and continues from there.
///
/// A file that is sent in one chunk is streamed. Other chunks are held in memory. The data must not change during the
/// upload.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``GTMSessionFetcher``.
open class GTMSessionUploadFetcher: GTMSessionFetcher, @unchecked Sendable {
    private let upload = Mutex(UploadState())

    /// Creates a fetcher without a request, data or type.
    public required init(request: URLRequest?) { super.init(request: request) }

    /// Creates a fetcher for a new upload.
    ///
    /// - Parameters:
    ///   - request: The first request. GET becomes POST.
    ///   - uploadMIMEType: The type of the data.
    ///   - chunkSize: The size of a chunk in bytes, which the server's granularity can change.
    ///   - fetcherServiceOrNil: The service that sends the requests.
    public convenience init(
        request: URLRequest,
        uploadMIMEType: String,
        chunkSize: Int64,
        fetcherService fetcherServiceOrNil: GTMSessionFetcherService?
    ) {
        self.init(request: request)
        self.configure(uploadMIMEType, chunkSize, fetcherServiceOrNil)
    }

    /// Creates a fetcher that resumes an upload.
    ///
    /// - Parameters:
    ///   - uploadLocationURL: The ``uploadLocationURL`` of the fetcher that began the upload.
    ///   - uploadMIMEType: The type of the data.
    ///   - chunkSize: The size of a chunk in bytes, which the server's granularity can change.
    ///   - allowsCellularAccess: Has no effect.
    ///   - fetcherServiceOrNil: The service that sends the requests.
    public convenience init(
        location uploadLocationURL: URL?,
        uploadMIMEType: String,
        chunkSize: Int64,
        allowsCellularAccess: Bool = true,
        fetcherService fetcherServiceOrNil: GTMSessionFetcherService?
    ) {
        self.init(request: uploadLocationURL.map { URLRequest(url: $0) })
        self.configure(uploadMIMEType, chunkSize, fetcherServiceOrNil)
        self.change { state in
            state.location = uploadLocationURL
            state.allowsCellularAccess = allowsCellularAccess
        }
    }

    private func configure(_ type: String, _ chunkSize: Int64, _ service: GTMSessionFetcherService?) {
        _ = service?.prepared(self)
        self.change { state in
            state.type = type
            state.chunkSize = chunkSize > 0 ? chunkSize : kGTMSessionUploadFetcherStandardChunkSize
        }
    }

    override func perform() async -> FetchResult {
        let result = await UploadRun.result(of: self)
        self.change { state in
            state.cancellationHandler = nil
            state.provider = nil
        }
        return result
    }

    /// Stops the upload.
    ///
    /// If the server has begun the upload, it is asked to cancel it, so that the upload cannot be resumed. The
    /// ``cancellationHandler`` receives the result.
    override open func stopFetching() {
        let own = self.snapshot()
        let before = self.change { $0.stop() }
        self.stop()
        guard !before.isStopped else { return }
        before.resume?.resume(returning: true)
        self.cancel(before, own)
    }

    var uploadState: UploadState { self.upload.withLock { $0 } }

    /// Changes the state of the upload.
    ///
    /// - Returns: The state before the change.
    @discardableResult
    func change(_ body: (inout UploadState) -> Void) -> UploadState {
        self.upload.withLock { state in
            let before = state
            body(&state)
            return before
        }
    }
}

extension GTMSessionUploadFetcher {
    /// Sets the length of the data in bytes, or -1 if it is not known, and a closure that supplies it.
    public func setUploadDataLength(
        _ fullLength: Int64,
        provider block: GTMSessionUploadFetcherDataProvider? = nil
    ) {
        self.change { state in
            state.providedLength = fullLength
            state.provider = block
        }
    }

    /// The data.
    public var uploadData: Data? {
        get { self.uploadState.data }
        set { self.change { $0.data = newValue } }
    }

    /// The file with the data.
    public var uploadFileURL: URL? {
        get { self.uploadState.fileURL }
        set { self.change { $0.fileURL = newValue } }
    }

    /// The open file with the data.
    public var uploadFileHandle: FileHandle? {
        get { self.uploadState.fileHandle }
        set { self.change { $0.fileHandle = newValue } }
    }

    /// The closure that supplies the data.
    public var uploadDataProvider: GTMSessionUploadFetcherDataProvider? { self.uploadState.provider }

    /// The type of the data.
    public var uploadMIMEType: String {
        get { self.uploadState.type }
        set { self.change { $0.type = newValue } }
    }

    /// The URL for the chunks, or nil before the server has begun the upload and after it has ended.
    ///
    /// The URL authorizes the upload. Store it like a token.
    public var uploadLocationURL: URL? {
        get { self.uploadState.location }
        set { self.change { $0.location = newValue } }
    }

    /// The size of a chunk in bytes, before it is adapted to the server's granularity.
    public var chunkSize: Int64 { self.uploadState.chunkSize }

    /// The number of bytes that the server has received.
    public var currentOffset: Int64 { self.uploadState.currentOffset }

    /// The factor by which the wait before a repeated chunk grows.
    ///
    /// The default is 2. A factor below 1 is treated as 1.
    public var uploadRetryFactor: Double {
        get { self.uploadState.retryFactor }
        set { self.change { $0.retryFactor = newValue } }
    }

    /// The longest wait before a repeated chunk, in seconds.
    ///
    /// The upload fails when the next wait would be longer, or when it has waited for more than three times as long
    /// without progress. The default is 600.
    public var maxUploadRetryInterval: TimeInterval {
        get { self.uploadState.maxRetryInterval }
        set { self.change { $0.maxRetryInterval = newValue } }
    }

    /// The wait before a chunk is repeated for the first time, in seconds.
    ///
    /// The default is random, between 1 and 2. A value of 0 or less chooses another one.
    public var minUploadRetryInterval: TimeInterval {
        get { self.uploadState.minRetryInterval }
        set { self.change { $0.minRetryInterval = newValue > 0 ? newValue : .random(in: 1...2) } }
    }

    /// Whether chunks may be sent over a cellular network.
    ///
    /// The value has no effect.
    public var allowsCellularAccess: Bool { self.uploadState.allowsCellularAccess }

    /// The fetcher of the current chunk, or nil between chunks.
    public var chunkFetcher: GTMSessionFetcher? {
        get { self.uploadState.chunkFetcher }
        set { self.change { $0.chunkFetcher = newValue } }
    }

    /// The fetcher of the current request.
    public var activeFetcher: GTMSessionFetcher { self.chunkFetcher ?? self }

    /// The request of the last chunk.
    public var lastChunkRequest: URLRequest? { self.uploadState.lastChunkRequest }

    /// A closure that receives the result of canceling the upload at the server.
    public var cancellationHandler: GTMSessionUploadFetcherCancellationHandler? {
        get { self.uploadState.cancellationHandler }
        set { self.change { $0.cancellationHandler = newValue } }
    }

    /// The queue for the completion handler.
    public var delegateCallbackQueue: DispatchQueue? { self.callbackQueue }

    /// The completion handler, while the upload is in progress.
    public var delegateCompletionHandler: GTMSessionFetcherCompletionHandler? { self.completionHandler }

    /// Cancels the current chunk and pauses the upload.
    ///
    /// If the upload has not begun, it pauses after the first request. A paused upload retains its fetcher until it is
    /// resumed or stopped.
    public func pauseFetching() {
        let before = self.change { $0.isPaused = true }
        before.chunkFetcher?.stopFetching()
    }

    /// Resumes the upload with what the server has not received.
    public func resumeFetching() {
        let before = self.change { state in
            state.isPaused = false
            state.resume = nil
        }
        before.resume?.resume(returning: true)
    }

    /// Waits while the upload is paused.
    ///
    /// - Returns: Whether it was paused.
    func waitForResumption() async -> Bool {
        await withCheckedContinuation { continuation in
            let before = self.change { state in
                if state.isPaused, !state.isStopped { state.resume = continuation }
            }
            if !before.isPaused || before.isStopped { continuation.resume(returning: false) }
        }
    }

    /// Returns whether the upload is paused.
    public func isPaused() -> Bool { self.uploadState.isPaused }
}

extension GTMSessionFetcher {
    /// The upload for which this fetcher sends a request, or nil.
    public var parentUploadFetcher: GTMSessionUploadFetcher? {
        self.snapshot().parent as? GTMSessionUploadFetcher
    }
}
