// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Foundation
internal import Tessera
internal import TesseraOAuth

/// An upload: the first request, the chunks, and the queries for the number of bytes that the server has received.
///
/// After a chunk of which the server has received nothing, the upload waits. If the server does not receive more after
/// several waits, the upload fails.
struct UploadRun {
    private enum Step {
        case query
        /// A chunk with an offset.
        case chunk(Int64)
        case end(FetchResult)
    }

    /// The longest wait in seconds, which a `Duration` can represent.
    private static let longestWait: TimeInterval = 1e9

    private let fetcher: GTMSessionUploadFetcher
    private let runtime: OAuthRuntime
    private var data: UploadData
    /// The largest number of bytes that the server has reported.
    private var received: Int64 = 0
    /// The number of waits since ``received`` has grown.
    private var waits = 0
    /// The sum of these waits in seconds.
    private var waited: TimeInterval = 0

    private init(_ fetcher: GTMSessionUploadFetcher) async throws {
        self.fetcher = fetcher
        self.runtime = try AppAuthEnvironment.current().runtime
        self.data = try await UploadData(fetcher)
    }

    /// Performs an upload.
    static func result(of fetcher: GTMSessionUploadFetcher) async -> FetchResult {
        do {
            var run = try await UploadRun(fetcher)
            return try await run.result()
        } catch let failure as UploadFailure {
            return failure.result
        } catch {
            return FetchResult(error: FetchErrors.mapped(error))
        }
    }

    private mutating func result() async throws -> FetchResult {
        self.fetcher.observeTestBlock()
        var step = self.fetcher.uploadLocationURL == nil ? try await self.begin() : .query
        while true {
            switch step {
            case .query:
                if await self.fetcher.waitForResumption() { self.noteProgress() }
                try Task.checkCancellation()
                step = try await self.query()
            case .chunk(let offset):
                step = try await self.send(try await self.data.chunk(at: offset))
            case .end(let result):
                if result.error == nil { self.fetcher.change { $0.location = nil } }
                return result
            }
        }
    }

    /// Sends the first request.
    private func begin() async throws -> Step {
        let length = max(self.data.length, 0)
        self.fetcher.prepareFirstRequest(length: self.data.length)
        let first = await FetchRun(self.fetcher, followedBy: length).result()
        if let error = first.error { return .end(FetchResult(error: error)) }
        let status = self.fetcher.uploadStatus
        guard let text = self.fetcher.uploadValue("URL"), let location = URL(string: text),
            !["final", "cancelled"].contains(status)
        else {
            if self.fetcher.uploadState.isSimulated { return try await self.simulated(first) }
            throw UploadFailure(first.data, "the response to the first request does not contain an upload URL")
        }
        self.fetcher.takeGranularity(of: self.fetcher)
        let before = self.fetcher.change { state in
            if !state.isStopped { state.location = location }
        }
        if before.isStopped { throw CancellationError() }
        self.fetcher.post(.gtmSessionFetcherUploadLocationObtained)
        return .chunk(0)
    }

    /// Ends the upload with a test's response, after the app's provider has supplied all data.
    private func simulated(_ result: FetchResult) async throws -> Step {
        if self.fetcher.uploadDataProvider != nil { _ = try await self.data.providedBytes(0, max(self.data.length, 0)) }
        return .end(result)
    }

    private mutating func send(_ chunk: UploadData.Chunk) async throws -> Step {
        let child = try self.fetcher.makeFetcher(for: chunk, of: self.data.length)
        guard let result = await self.fetcher.perform(child) else { return .query }
        let status = child.uploadStatus
        guard result.error == nil else {
            let isActive = 400..<500 ~= child.statusCode && child.statusCode != 404 && status == "active"
            guard isActive && chunk.count > 0 || self.fetcher.uploadState.retriesChunk else {
                throw UploadFailure(result: result)
            }
            try await self.wait(orFailWith: UploadFailure(result: result))
            return .query
        }
        if status == "cancelled" { throw self.canceled(nil) }
        // A server without the status has at least received the command to finalize.
        if status == "final" || status == nil && chunk.isLast { return .end(result) }
        let received = child.receivedSize ?? chunk.end
        guard received <= chunk.end else {
            throw UploadFailure(nil, "the server reported that it has received more than was sent")
        }
        if received <= chunk.offset {
            try await self.wait(orFailWith: UploadFailure(nil, "the server does not receive the data"))
        }
        return self.proceed(from: received)
    }

    /// Asks the server how much it has received.
    private mutating func query() async throws -> Step {
        let child = try self.fetcher.makeFetcher(for: "query", "query offset")
        guard let result = await self.fetcher.perform(child) else { return .query }
        guard result.error == nil else { throw UploadFailure(result: result) }
        self.fetcher.takeGranularity(of: child)
        switch (child.uploadStatus, child.receivedSize) {
        case ("final", _): return .end(result)
        case ("cancelled", _): throw self.canceled(result.data)
        case (nil, nil) where self.fetcher.uploadState.isSimulated: return try await self.simulated(result)
        case ("active", let received?), (nil, let received?):
            guard received <= (self.data.length < 0 ? .max / 2 : self.data.length) else {
                throw UploadFailure(result.data, "the server reported that it has received more than the data")
            }
            return self.proceed(from: received)
        default: throw UploadFailure(result.data, "the server did not report how much it has received")
        }
    }

    private func canceled(_ data: Data?) -> UploadFailure {
        self.fetcher.change { $0.location = nil }
        return UploadFailure(data, "the server has canceled the upload")
    }

    private mutating func proceed(from received: Int64) -> Step {
        if received > self.received {
            self.received = received
            self.noteProgress()
        }
        self.fetcher.change { $0.currentOffset = received }
        return .chunk(received)
    }

    private mutating func noteProgress() {
        self.waits = 0
        self.waited = 0
    }

    /// Waits before the next round.
    ///
    /// - Throws: `failure` if the wait would be too long, or if the upload has already waited too long.
    private mutating func wait(orFailWith failure: UploadFailure) async throws {
        let state = self.fetcher.uploadState
        let wait = state.minRetryInterval * pow(max(state.retryFactor, 1), Double(self.waits))
        guard wait <= state.maxRetryInterval, self.waited <= 3 * state.maxRetryInterval else { throw failure }
        self.waits += 1
        self.waited += wait
        if self.waits == 1 { self.fetcher.post(.gtmSessionFetcherUploadInitialBackoffStarted) }
        try await self.runtime.clock.sleep(for: .seconds(min(wait, Self.longestWait)))
    }
}

/// The result of an upload that failed.
private struct UploadFailure: Error {
    let result: FetchResult

    init(result: FetchResult) { self.result = result }

    /// Creates the result for a response that violates the protocol, which has status 501 as in GTMSessionFetcher.
    init(_ data: Data?, _ reason: String) {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: "Could not upload the data: \(reason)."]
        if let data, !data.isEmpty { userInfo[kGTMSessionFetcherStatusDataKey] = data }
        let error = NSError(domain: kGTMSessionFetcherStatusDomain, code: 501, userInfo: userInfo)
        self.result = FetchResult(data: data, error: error)
    }
}
