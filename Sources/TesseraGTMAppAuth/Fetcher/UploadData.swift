// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraSupport

/// The data of an upload, in chunks.
struct UploadData: Sendable {
    /// A part of the data.
    struct Chunk: Sendable {
        let offset: Int64
        let count: Int64
        /// The bytes, or nil if the chunk is the whole file.
        let bytes: Data?
        /// Whether the data ends with this chunk.
        let isLast: Bool

        /// The offset of the next chunk.
        var end: Int64 { self.offset + self.count }
    }

    /// If fewer bytes would remain after a chunk, they are sent along with it.
    private static let smallestRest: Int64 = 2_500

    private let fetcher: GTMSessionUploadFetcher
    private let executor = BlockingExecutor()
    /// The length in bytes, or -1 if it is not known yet.
    private(set) var length: Int64 = 0

    /// Determines the length of the data.
    ///
    /// The length of a missing file is 0. Sending the file reports the error.
    ///
    /// - Throws: An error in `NSCocoaErrorDomain` if the app's file handle cannot seek.
    init(_ fetcher: GTMSessionUploadFetcher) async throws {
        self.fetcher = fetcher
        let state = fetcher.uploadState
        if let data = state.data {
            self.length = Int64(data.count)
        } else if let file = state.fileURL {
            self.length = (try? await HTTPBody(file: file.path(percentEncoded: false)))?.length ?? 0
        } else if state.fileHandle != nil {
            self.length = try await self.executor.run { Int64(clamping: try state.fileHandle?.seekToEnd() ?? 0) }
        } else {
            self.length = max(state.providedLength ?? 0, kGTMSessionUploadFetcherUnknownFileSize)
        }
    }

    /// Returns the chunk at an offset, which must not be greater than the length.
    ///
    /// - Throws: An error in `NSCocoaErrorDomain` if a file cannot be read, the error of the app's provider, or
    ///   `uploadChunkUnavailable` if there are no bytes although the data has not ended.
    mutating func chunk(at offset: Int64) async throws -> Chunk {
        let state = self.fetcher.uploadState
        let count = self.count(at: offset, state)
        if state.sendsFile, offset == 0, count == self.length {
            return Chunk(offset: 0, count: count, bytes: nil, isLast: true)
        }
        guard state.hasData else { throw Self.unavailable("The upload has no data.") }
        if count == 0 { return Chunk(offset: offset, count: 0, bytes: Data(), isLast: true) }
        let bytes = try await self.bytes(state, offset, count)
        let rest = self.length < 0 ? .max : self.length - offset
        guard rest >= 0 else { throw Self.unavailable("The data ends before the chunk.") }
        let part = bytes.prefix(Int(min(count, rest)))
        let isLast = Int64(part.count) == rest
        guard isLast || !part.isEmpty else { throw Self.unavailable("The chunk is empty, but the data has not ended.") }
        return Chunk(offset: offset, count: Int64(part.count), bytes: part, isLast: isLast)
    }

    /// Returns the number of bytes for the chunk at an offset.
    private func count(at offset: Int64, _ state: UploadState) -> Int64 {
        // A whole file is not held in memory.
        if state.sendsFile, offset == 0, self.length <= state.chunkSize { return self.length }
        var size = min(state.chunkSize, kGTMSessionUploadFetcherMaximumDemandBufferSize)
        if state.granularity > 0 { size = max(size / state.granularity, 1) * state.granularity }
        let rest = self.length - offset
        return self.length >= 0 && rest - Self.smallestRest < size ? rest : size
    }

    private mutating func bytes(_ state: UploadState, _ offset: Int64, _ count: Int64) async throws -> Data {
        if let data = state.data { return data.dropFirst(Int(offset)).prefix(Int(count)) }
        if let file = state.fileURL {
            return try await self.executor.run {
                let handle = try FileHandle(forReadingFrom: file)
                defer { try? handle.close() }
                return try handle.bytes(at: offset, count)
            }
        }
        if state.fileHandle != nil {
            return try await self.executor.run { try state.fileHandle?.bytes(at: offset, count) ?? Data() }
        }
        let (bytes, length) = try await self.providedBytes(offset, count)
        if length > 0 { self.length = length }
        return bytes
    }

    /// Asks the app's provider for bytes and the length of the data, which is not positive if it has not changed.
    func providedBytes(_ offset: Int64, _ count: Int64) async throws -> (Data, length: Int64) {
        let fetcher = self.fetcher
        let provided: ProvidedChunk? = await FetchRun(fetcher)
            .ask(otherwise: nil) { _, decide in
                fetcher.uploadDataProvider?(offset, count) {
                    decide(ProvidedChunk(bytes: $0, length: $1, error: $2))
                }
            }
        if let error = provided?.error { throw error }
        guard let provided, let bytes = provided.bytes else {
            throw Self.unavailable("The data provider supplied no chunk.")
        }
        return (bytes, provided.length)
    }

    private static func unavailable(_ description: String) -> NSError {
        NSError(
            domain: kGTMSessionFetcherErrorDomain,
            code: GTMSessionFetcherError.uploadChunkUnavailable.rawValue,
            userInfo: [NSLocalizedDescriptionKey: description, "description": description]
        )
    }
}

/// The values that the app's provider supplied.
private struct ProvidedChunk: Sendable {
    let bytes: Data?
    let length: Int64
    let error: (any Error)?
}

extension UploadState {
    /// Whether the data is in a file with a URL.
    fileprivate var sendsFile: Bool { self.data == nil && self.fileURL != nil }
}

extension FileHandle {
    fileprivate func bytes(at offset: Int64, _ count: Int64) throws -> Data {
        try self.seek(toOffset: UInt64(offset))
        return try self.read(upToCount: Int(count)) ?? Data()
    }
}
