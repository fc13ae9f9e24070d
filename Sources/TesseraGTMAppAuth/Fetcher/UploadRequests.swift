// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Foundation

/// The requests of an upload.
///
/// - SeeAlso: [Resumable uploads](https://developers.google.com/photos/library/guides/resumable-uploads)
extension GTMSessionUploadFetcher {
    private static let agentSuffix = "(GTMSUF/1)"
    /// The largest granularity that is accepted, so that no server can make the app hold more in memory.
    private static let largestGranularity: Int64 = 1 << 30

    /// Adds the upload's header fields to the app's request.
    func prepareFirstRequest(length: Int64) {
        let type = self.uploadMIMEType
        self.update { state in
            let agent = Self.userAgent(state)
            if (state.request?.httpMethod ?? "GET").uppercased() == "GET" { state.request?.httpMethod = "POST" }
            state.request?.setUploadValue("resumable", for: "Protocol")
            state.request?.setUploadValue("start", for: "Command")
            state.request?.setUploadValue(type, for: "Content-Type")
            state.request?.setUploadValue("\(length)", for: "Content-Length")
            state.request?.setValue(agent, forHTTPHeaderField: "User-Agent")
            if !state.hasBody, state.request?.httpBody == nil, state.request?.httpBodyStream == nil {
                state.request?.httpBody = Data()
            }
        }
    }

    private static func userAgent(_ state: FetcherState) -> String {
        let own = state.request?.value(forHTTPHeaderField: "User-Agent")
        if let own, own.hasSuffix(self.agentSuffix) { return own }
        let provider = state.settings.userAgentProvider
        let agent = own ?? provider.map { $0.cachedUserAgent ?? $0.userAgent } ?? GTMFetcherStandardUserAgentString(nil)
        return "\(agent) \(self.agentSuffix)"
    }

    /// Returns a fetcher for a command to the upload's URL.
    ///
    /// - Throws: `CancellationError` if the app has removed the URL.
    func makeFetcher(for command: String, _ comment: String) throws -> GTMSessionFetcher {
        guard let location = self.uploadLocationURL else { throw CancellationError() }
        return self.makeFetcher(for: command, comment, to: location, self.snapshot())
    }

    func makeFetcher(
        for command: String,
        _ comment: String,
        to location: URL,
        _ own: FetcherState
    ) -> GTMSessionFetcher {
        var request = URLRequest(url: location)
        request.httpMethod = "PUT"
        request.timeoutInterval = own.request?.timeoutInterval ?? request.timeoutInterval
        request.allowsCellularAccess = self.allowsCellularAccess
        request.setUploadValue("resumable", for: "Protocol")
        request.setUploadValue(command, for: "Command")
        request.setValue(Self.userAgent(own), forHTTPHeaderField: "User-Agent")
        let child = GTMSessionFetcher(request: request)
        child.update { state in
            state.settings = own.settings
            // The URL authorizes the request.
            state.settings.authorizer = nil
            state.settings.isRetryEnabled = false
            state.settings.retryBlock = nil
            state.parent = self
            state.comment = "\(own.comment ?? "upload") (\(comment))"
            state.bodyData = Data()
        }
        return child
    }

    /// Returns a fetcher for a chunk.
    ///
    /// It does not retry. If it would, it sets ``UploadState/retriesChunk``.
    func makeFetcher(for chunk: UploadData.Chunk, of length: Int64) throws -> GTMSessionFetcher {
        let command = chunk.isLast ? (chunk.count == 0 ? "finalize" : "upload, finalize") : "upload"
        let child = try self.makeFetcher(for: command, "\(chunk.offset)-\(max(chunk.end - 1, 0))")
        let (type, settings) = (self.uploadMIMEType, self.snapshot().settings)
        let file = chunk.bytes == nil ? self.uploadFileURL : nil
        child.update { state in
            state.request?.setUploadValue("\(chunk.offset)", for: "Offset")
            if length >= 0 { state.request?.setUploadValue("\(length)", for: "Content-Length") }
            state.request?.setValue("\(chunk.count)", forHTTPHeaderField: "Content-Length")
            state.request?.setValue(type, forHTTPHeaderField: "Content-Type")
            state.bodyData = chunk.bytes
            state.bodyFileURL = file
            state.settings.isRetryEnabled = settings.isRetryEnabled
            state.settings.retryBlock = { [weak self] suggestion, error, respond in
                let decide: GTMSessionFetcherRetryResponse = { retries in
                    self?.change { $0.retriesChunk = retries }
                    respond(false)
                }
                if let block = settings.retryBlock { block(suggestion, error, decide) } else { decide(suggestion) }
            }
        }
        self.reportProgress(of: child, from: chunk.offset, length)
        let request = child.request
        self.change { state in
            state.retriesChunk = false
            state.lastChunkRequest = request
        }
        return child
    }

    private func reportProgress(of child: GTMSessionFetcher, from offset: Int64, _ length: Int64) {
        guard self.sendProgressBlock != nil else { return }
        let first = max(self.bodyLength, 0)
        child.sendProgressBlock = { [weak self] count, total, _ in
            self?.sendProgressBlock?(count, first + offset + total, length < 0 ? -1 : first + length)
        }
    }

    /// Performs a request to the upload's URL, unless the upload is paused or stopped.
    ///
    /// - Returns: The result, or nil if the request was stopped or not sent. Then the server has to be asked how much
    ///   it has received.
    func perform(_ child: GTMSessionFetcher) async -> FetchResult? {
        let before = self.change { state in
            if !state.isPaused, !state.isStopped { state.chunkFetcher = child }
        }
        if before.isPaused || before.isStopped { return nil }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The app can replace the handler.
                let result = SharedResult(otherwise: FetchResult(error: URLError(.cancelled))) {
                    continuation.resume(returning: $0)
                }
                child.begin(FetchCompletion(isCalledAfterStop: true) { result(FetchResult(data: $0, error: $1)) })
            }
        } onCancel: {
            child.stopFetching()
        }
        self.change { $0.chunkFetcher = nil }
        let state = child.snapshot()
        if state.isStopped { return nil }
        self.update { own in
            own.response = state.response ?? own.response
            own.responseHeaders = state.responseHeaders ?? own.responseHeaders
        }
        return result
    }

    /// Asks the server to cancel the upload, and passes the result to the app's handler.
    ///
    /// - Parameters:
    ///   - upload: The state of the upload before it was stopped.
    ///   - own: The state of the fetcher before it was stopped.
    func cancel(_ upload: UploadState, _ own: FetcherState) {
        let handler = UploadCancellation(handler: upload.cancellationHandler)
        guard let location = upload.location else {
            return own.callbackQueue.async { handler.handler?(nil, nil, nil) }
        }
        let child = self.makeFetcher(for: "cancel", "cancel", to: location, own)
        child.begin(FetchCompletion(isCalledAfterStop: true) { handler.handler?(child, $0, $1) })
    }

    /// Stores the granularity from a response, if it contains one.
    func takeGranularity(of child: GTMSessionFetcher) {
        guard let granularity = child.uploadValue("Chunk-Granularity").flatMap({ Int64($0) }),
            1...Self.largestGranularity ~= granularity
        else { return }
        self.change { $0.granularity = granularity }
    }

    /// Makes the test closure record whether it supplies a response.
    func observeTestBlock() {
        self.change { $0.isSimulated = false }
        guard let block = self.testBlock ?? GTMSessionFetcher.globalTest().block else { return }
        self.testBlock = { [weak self] fetcher, respond in
            block(fetcher) { response, data, error in
                if response != nil || data != nil || error != nil { self?.change { $0.isSimulated = true } }
                respond(response, data, error)
            }
        }
    }
}

extension GTMSessionFetcher {
    /// Returns a header field of the upload protocol in the response.
    func uploadValue(_ name: String) -> String? {
        let wanted = "x-goog-upload-\(name.lowercased())"
        return self.responseHeaders?.first { $0.key.lowercased() == wanted }?.value
    }

    /// The status of the upload in the response: `active`, `final`, `cancelled`, or nil.
    var uploadStatus: String? { self.uploadValue("Status")?.lowercased() }

    /// The number of bytes that the server has received according to the response, or nil.
    var receivedSize: Int64? { self.uploadValue("Size-Received").flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 } }
}

extension URLRequest {
    /// Sets a header field of the upload protocol.
    fileprivate mutating func setUploadValue(_ value: String, for name: String) {
        self.setValue(value, forHTTPHeaderField: "X-Goog-Upload-\(name)")
    }
}

/// A closure that receives the result of canceling an upload.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``FetcherSettings``.
private struct UploadCancellation: @unchecked Sendable {
    let handler: GTMSessionUploadFetcherCancellationHandler?
}
