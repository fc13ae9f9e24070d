// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Foundation

/// The state of an upload.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``FetcherSettings``.
struct UploadState: @unchecked Sendable {
    var type = ""
    var chunkSize = kGTMSessionUploadFetcherStandardChunkSize
    var allowsCellularAccess = true
    var location: URL?
    var data: Data?
    var fileURL: URL?
    var fileHandle: FileHandle?
    var provider: GTMSessionUploadFetcherDataProvider?
    /// The length that the app set along with the provider.
    var providedLength: Int64?
    var cancellationHandler: GTMSessionUploadFetcherCancellationHandler?
    var retryFactor = 2.0
    var maxRetryInterval: TimeInterval = 600
    var minRetryInterval: TimeInterval = .random(in: 1...2)

    /// The number of which the size of each chunk except the last one must be a multiple, or 0.
    var granularity = Int64(0)
    var currentOffset = Int64(0)
    var chunkFetcher: GTMSessionFetcher?
    var lastChunkRequest: URLRequest?
    /// Whether the last chunk may be repeated after it has failed.
    var retriesChunk = false
    /// Whether a test's closure has supplied a response.
    var isSimulated = false
    var isStopped = false
    var isPaused = false
    /// Continues the upload after a pause.
    ///
    /// The value is true.
    var resume: CheckedContinuation<Bool, Never>?

    /// Whether the app has set the data or a provider.
    var hasData: Bool {
        self.data != nil || self.fileURL != nil || self.fileHandle != nil || self.providedLength != nil
    }

    /// Ends the upload, so that it neither continues nor waits for the end of a pause.
    mutating func stop() {
        self.isStopped = true
        self.location = nil
        self.cancellationHandler = nil
        self.provider = nil
        self.resume = nil
    }
}
