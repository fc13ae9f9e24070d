// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import Tessera
internal import TesseraOAuth

extension AuthorizedFetcher {
    /// Downloads to a file, which is there when it is whole, and not before.
    ///
    /// Until then the bytes are in `PATH.part`, and `PATH.part.json` says what they are a part of. A download that breaks
    /// off goes on where it stopped, as often as the settings' ``Backoff`` permits without a byte in between; one that was
    /// cancelled, or whose program was killed, goes on when the same URL is downloaded to the same path again. The server
    /// is asked for the rest only on the condition that it still has what it had (`If-Range`): if not, or if it never
    /// named anything to compare, all comes anew.
    ///
    /// - Parameters:
    ///   - request: a GET; its `Range` is set here. Any other method is not continued, only made again.
    ///   - path: the file. Its directory has to be there.
    ///   - resumes: whether to go on with what an earlier download left; otherwise that is lost.
    ///   - overwrites: Whether a file that has the name is replaced. Pass false where a server chose the name: then nothing
    ///     that exists is changed, and the check and the naming of the file are one step.
    ///   - options: what the request does not say.
    ///   - progress: gets the steps; one for each download.
    /// - Returns: the last answer's head: 200 or 206, or 416 where everything had come already.
    /// - Throws: ``FileFailure``, `busy` while another download writes to the same path, `exists` without `overwrites` where
    ///   the name is taken, `foreignOwner` where `PATH.part` belongs to another user; `TransportError` when the
    ///   network does not come back; what a status that is no success means, as ``data(for:body:upTo:options:)`` throws it.
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
        let isContinued = request.method == .get
        var partial = try await PartialDownload(
            of: request,
            at: path,
            resumes: resumes && isContinued,
            overwrites: overwrites
        )
        do {
            var patience = Patience(of: self, options)
            while true {
                let before = partial.furthest
                do {
                    guard let response = try await self.downloadRest(of: request, to: &partial, options, progress)
                    else {
                        continue
                    }
                    try await partial.finish()
                    return response
                } catch let error as TransportError {
                    if partial.furthest > before { patience.renew(at: self.runtime.uptime()) }
                    let wait = patience.wait(
                        of: self,
                        after: .transport(error),
                        to: request,
                        isIdempotent: options.isIdempotent(request)
                    )
                    guard let wait else { throw error }
                    try await self.runtime.clock.sleep(for: wait)
                }
            }
        } catch {
            await partial.discard()
            throw error
        }
    }

    /// Asks for what is missing, and takes it; nil where more may be missing.
    ///
    /// What is there is forgotten where the answer contradicts it.
    private func downloadRest(
        of request: HTTPRequest,
        to partial: inout PartialDownload,
        _ options: CallOptions,
        _ progress: TransferProgress?
    ) async throws -> HTTPResponse? {
        var request = request
        request.headerFields[.range] = nil
        let origin = partial.size > 0 ? partial.origin : nil
        if let origin {
            request.headerFields[.range] = "bytes=\(partial.size)-"
            request.headerFields[.ifRange] = origin.validator
        }
        let answer = try await self.call(request, nil, options) { $0 }
        let range = ContentRange(answer.response)
        var (total, part) = (range?.total, ClosedRange<Int64>?.none)
        switch (answer.status, origin) {
        case (206, let origin?):
            guard let bytes = range?.bytes, bytes.lowerBound == partial.size, origin.isStill(answer.response),
                origin.total == nil || total == nil || origin.total == total
            else { return try await self.startOver(&partial, answer) }
            (total, part) = (total ?? origin.total, bytes)
        case (416, let origin?):
            guard range?.total == partial.size, origin.total ?? partial.size == partial.size,
                origin.isStill(answer.response)
            else {
                return try await self.startOver(&partial, answer)
            }
            // All of it was there already.
            await Self.drain(answer.body)
            return answer.response
        case (200..<300, _) where answer.status != 206:
            total = answer.body.length
            try await partial.begin(Self.validator(of: answer.response), total: total)
        default:
            throw await answer.failure(at: self.runtime.now(), self.settings)
        }
        progress?.report(partial.size, of: total)
        try await partial.append(answer.body) { progress?.report($0, of: total) }
        // A connection that ends early can look like the end.
        if let total, partial.size < total { throw TransportError(.connectionLost, host: request.authority) }
        guard partial.size <= total ?? .max, partial.size - 1 <= part?.upperBound ?? .max else {
            return try await self.startOver(&partial, answer)
        }
        guard total == nil, let part else { return answer.response }
        // The length of the whole is unknown: nothing is missing only once the server refuses to send more.
        guard partial.size - 1 == part.upperBound else {
            throw TransportError(.connectionLost, host: request.authority)
        }
        return nil
    }

    private func startOver(_ partial: inout PartialDownload, _ answer: Answer) async throws -> HTTPResponse? {
        await Self.drain(answer.body)
        try await partial.begin(nil, total: nil)
        if partial.isEndless { throw TransportError(.invalidResponse) }
        return nil
    }

    /// What `If-Range` may carry: a strong entity tag, else a date that is older than the answer by a second or more.
    private static func validator(of response: HTTPResponse) -> String? {
        let fields = response.headerFields
        if let tag = fields[.eTag], tag.hasPrefix("\"") { return tag }
        guard let changed = fields[.lastModified], let changedAt = HTTPDate.seconds(changed),
            let sentAt = fields[.date].flatMap({ HTTPDate.seconds($0) }), changedAt < sentAt
        else { return nil }
        return changed
    }
}
