// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

extension AuthorizedFetcher {
    /// Downloads to a file that appears when the download is complete.
    ///
    /// Until then, the bytes are stored in `PATH.part`, and `PATH.part.json` describes their origin. An interrupted
    /// download continues where it stopped, as often as the settings' ``Backoff`` permits without progress. If the task
    /// is canceled or the process ends, the download continues the next time the same URL is downloaded to the same
    /// path. The remaining bytes are requested only if the file on the server is unchanged (`If-Range`). If it has
    /// changed or has no validator, the download starts over.
    ///
    /// - Parameters:
    ///   - request: A GET request. Its `Range` field is replaced. Requests with other methods are repeated rather than
    ///     continued.
    ///   - path: The path of the file. Its directory must exist.
    ///   - resumes: Whether to continue an earlier download. If false, its bytes are discarded.
    ///   - overwrites: Whether to replace an existing file. Pass false if the server chose the name. The name is then
    ///     checked and assigned atomically, and no existing file is changed.
    ///   - options: The options for the call.
    ///   - progress: Receives the download's progress.
    /// - Returns: The head of the last response, which has the status 200 or 206, or 416 if the file was already
    ///   complete.
    /// - Throws: ``FileError`` `busy` if another download is writing to the same path, `exists` if the name is taken
    ///   and `overwrites` is false, `foreignOwner` if `PATH.part` belongs to another user, or another ``FileError``.
    ///   Throws `TransportError` if the network remains unavailable, or any error that ``data(for:body:upTo:options:)``
    ///   throws for an unsuccessful status.
    /// - SeeAlso: [RFC 9110, sections 13.1.5 and 14](https://www.rfc-editor.org/rfc/rfc9110.html#section-13.1.5)
    @discardableResult
    public func download(
        _ request: HTTPRequest,
        to path: String,
        resumes: Bool = true,
        overwrites: Bool = true,
        options: CallOptions = CallOptions(),
        progress: TransferProgress? = nil
    ) async throws -> HTTPResponse {
        defer { progress?.finish() }
        var partial = try await PartialDownload(
            of: request,
            at: path,
            resumes: resumes && request.method == .get,
            overwrites: overwrites
        )
        do {
            var budget = RetryBudget(of: self, options, isTransfer: true)
            while true {
                let end = try await self.attempt(partial.rest(of: request), nil, options, &budget) { response, budget in
                    let before = partial.furthest
                    defer { if partial.furthest > before { budget.renew() } }
                    return try await self.take(response, into: &partial, progress)
                }
                guard let response = end ?? nil else { continue }
                try await partial.finish()
                return response
            }
        } catch {
            await partial.discard()
            throw error
        }
    }

    /// Appends the bytes of a response, or starts over if it contradicts earlier responses.
    ///
    /// - Returns: The head of the response, or nil if bytes may be missing.
    private func take(
        _ response: AuthorizedResponse,
        into partial: inout PartialDownload,
        _ progress: TransferProgress?
    ) async throws -> HTTPResponse? {
        let origin = partial.size > 0 ? partial.origin : nil
        let range = ContentRange(response.head)
        var (total, part) = (range?.total, ClosedRange<Int64>?.none)
        switch (response.status, origin) {
        case (206, let origin?):
            guard let bytes = range?.bytes, bytes.lowerBound == partial.size, origin.isStill(response.head),
                origin.total == nil || total == nil || origin.total == total
            else { return try await self.startOver(&partial, response) }
            (total, part) = (total ?? origin.total, bytes)
        case (416, let origin?):
            guard range?.total == partial.size, origin.total ?? partial.size == partial.size,
                origin.isStill(response.head)
            else {
                return try await self.startOver(&partial, response)
            }
            // The file was already complete.
            await response.drain()
            return response.head
        case (200..<300, _) where response.status != 206:
            total = response.body.length
            try await partial.begin(Self.validator(of: response.head), total: total)
        default:
            throw await self.error(of: response)
        }
        progress?.report(partial.size, of: total)
        try await partial.append(response.body) { progress?.report($0, of: total) }
        // If a connection is closed early, this can look like the end of the body.
        if let total, partial.size < total { throw TransportError(.connectionLost) }
        guard partial.size <= total ?? .max, partial.size - 1 <= part?.upperBound ?? .max else {
            return try await self.startOver(&partial, response)
        }
        guard total == nil, let part else { return response.head }
        // The total length is unknown. Request more until the server reports the end with a 416 response.
        guard partial.size - 1 == part.upperBound else { throw TransportError(.connectionLost) }
        return nil
    }

    private func startOver(
        _ partial: inout PartialDownload,
        _ response: AuthorizedResponse
    ) async throws -> HTTPResponse? {
        await response.drain()
        try await partial.begin(nil, total: nil)
        if partial.isEndless { throw TransportError(.invalidResponse) }
        return nil
    }

    /// Returns the value for `If-Range`, which is a strong entity tag or a date at least 1 second earlier than the
    /// response's date.
    private static func validator(of response: HTTPResponse) -> String? {
        let fields = response.headerFields
        if let tag = fields[.eTag], tag.hasPrefix("\"") { return tag }
        guard let changed = fields[.lastModified], let changedAt = HTTPDate.seconds(changed),
            let sentAt = fields[.date].flatMap({ HTTPDate.seconds($0) }), changedAt < sentAt
        else { return nil }
        return changed
    }
}
