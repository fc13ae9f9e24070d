// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Foundation
internal import HTTPTypes
internal import TesseraOAuth

/// The response of an attempt, and its body.
extension FetchRun {
    /// The maximum size of a response body in memory.
    private static let memoryLimit = 256 << 20
    /// The maximum size of the body that an error for a failed download contains.
    private static let errorBodyLimit = 20_000

    /// Reads a response.
    ///
    /// The head is nil if there was no HTTP request. The app receives the head as `described`.
    func received(_ head: HTTPResponse?, _ described: HTTPURLResponse?, _ body: HTTPBody) async throws -> FetchResult {
        let hadContent = self.state.downloadedLength > 0
        self.update { state in
            state.response = described
            state.responseHeaders = head?.canonicalFields
            state.downloadedLength = 0
        }
        if hadContent { await self.restartAccumulation() }
        if let described { try await self.confirm(described) }
        guard let head, head.status.code >= 300 else { return FetchResult(data: try await self.content(of: body)) }
        let isDownload = self.state.destinationFileURL != nil
        // The part of an error's body that is too long to report is not read.
        let content =
            isDownload ? try? Data(await body.collect(upTo: Self.errorBodyLimit)) : try await self.content(of: body)
        let error = NSError.fetcher(
            status: head.status.code,
            body: content,
            contentType: head.canonicalFields["Content-Type"]
        )
        return FetchResult(data: isDownload || content?.isEmpty == true ? nil : content, error: error)
    }

    /// Reads a body.
    ///
    /// - Returns: The body, or nil if the app received it in parts or in a file.
    private func content(of body: HTTPBody) async throws -> Data? {
        let state = self.state
        let expected = body.length ?? -1
        let file = state.destinationFileURL.map { DownloadFile($0) }
        let accumulates = state.accumulateDataBlock != nil
        var data = Data()
        var total = Int64(0)
        do {
            try await file?.open()
            for try await chunk in body {
                try self.activeState()
                total += Int64(chunk.count)
                let (count, sum) = (Int64(chunk.count), total)
                self.update { $0.downloadedLength = sum }
                if let file {
                    try await file.write(chunk)
                    if state.downloadProgressBlock != nil {
                        await self.call { $0.downloadProgressBlock?(count, sum, expected) }
                    }
                } else if accumulates {
                    await self.call { $0.accumulateDataBlock?(Data(chunk)) }
                } else {
                    guard data.count + chunk.count <= Self.memoryLimit else { throw TransportError(.bodyTooLarge) }
                    data.append(contentsOf: chunk)
                    if state.receivedProgressBlock != nil { await self.call { $0.receivedProgressBlock?(count, sum) } }
                }
            }
            try self.activeState()
            try await file?.finish()
        } catch {
            await file?.discard()
            throw error
        }
        return file == nil && !accumulates ? data : nil
    }

    /// Tells the app that the body starts over.
    func restartAccumulation() async {
        if self.state.accumulateDataBlock != nil { await self.call { $0.accumulateDataBlock?(nil) } }
    }

    /// Asks the app whether to read a response.
    ///
    /// - Throws: `CancellationError` if the app cancels the fetch.
    private func confirm(_ response: HTTPURLResponse) async throws {
        guard self.state.didReceiveResponseBlock != nil else { return }
        let disposition = await self.ask(otherwise: .cancel) { $0.didReceiveResponseBlock?(response, $1) }
        if disposition == .cancel { throw CancellationError() }
    }

    /// Returns a response without its body.
    func described(_ head: HTTPResponse) -> HTTPURLResponse? {
        self.state.sentRequest?.url
            .flatMap { url in
                HTTPURLResponse(
                    url: url,
                    statusCode: head.status.code,
                    httpVersion: "HTTP/1.1",
                    headerFields: head.canonicalFields
                )
            }
    }
}

extension HTTPResponse {
    /// The header fields, with names in the form `Content-Type` and repeated fields in one value.
    var canonicalFields: [String: String] {
        Dictionary(
            self.headerFields.map { field in
                let words = field.name.canonicalName.split(separator: "-", omittingEmptySubsequences: false)
                let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "-")
                return (name, field.value)
            }
        ) { $0 + ", " + $1 }
    }
}
