// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

extension AuthorizedFetcher {
    /// Downloads to a file, which gets its name once it is whole.
    ///
    /// Until then the bytes are in `PATH.part`, and `PATH.part.json` describes what they are a part of. A download that
    /// breaks off continues where it stopped, as often as the settings' ``Backoff`` permits without progress. One that was
    /// cancelled, or whose program was killed, continues when the same URL is downloaded to the same path again. The rest
    /// is requested only if the server's file is unchanged (`If-Range`); if it changed, or has nothing to compare, the
    /// download begins again.
    ///
    /// - Parameters:
    ///   - request: A GET, whose `Range` is replaced. Any other method is not continued, only made again.
    ///   - path: The file. Its directory has to exist.
    ///   - resumes: Whether to continue an earlier download, whose bytes are lost otherwise.
    ///   - overwrites: Whether a file that has the name is replaced. Pass false where a server chose the name: then nothing
    ///     that exists is changed, and the check and the naming of the file are one step.
    ///   - options: Options of the call.
    ///   - progress: Gets the steps; one for each download.
    /// - Returns: The head of the last response: 200 or 206, or 416 if the file was complete already.
    /// - Throws: ``FileError``, `busy` while another download writes to the same path, `exists` without `overwrites` where
    ///   the name is taken, `foreignOwner` where `PATH.part` belongs to another user; `TransportError` if the network
    ///   stays away; the errors of ``data(for:body:upTo:options:)`` for a status that is not a success.
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
            var budget = RetryBudget(of: self, options)
            while true {
                let end = try await self.attempt(partial.rest(of: request), nil, options, &budget) { response, budget in
                    let before = partial.furthest
                    defer { if partial.furthest > before { budget.renew(at: self.runtime.uptime()) } }
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

    /// Takes what a response has of the file, and starts over if it contradicts the earlier ones.
    ///
    /// - Returns: The response's head; nil if more may be missing.
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
            // The file was complete already.
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
        // A connection that ends early can look like the end.
        if let total, partial.size < total { throw TransportError(.connectionLost) }
        guard partial.size <= total ?? .max, partial.size - 1 <= part?.upperBound ?? .max else {
            return try await self.startOver(&partial, response)
        }
        guard total == nil, let part else { return response.head }
        // The length of the whole is unknown: nothing is missing only once the server refuses to send more.
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

    /// The value for `If-Range`: a strong entity tag, else a date that is at least a second older than the response.
    private static func validator(of response: HTTPResponse) -> String? {
        let fields = response.headerFields
        if let tag = fields[.eTag], tag.hasPrefix("\"") { return tag }
        guard let changed = fields[.lastModified], let changedAt = HTTPDate.seconds(changed),
            let sentAt = fields[.date].flatMap({ HTTPDate.seconds($0) }), changedAt < sentAt
        else { return nil }
        return changed
    }
}
