// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import Tessera
internal import TesseraOAuth

extension AuthorizedFetcher {
    /// Uploads in pieces, and goes on after whatever interrupts it.
    ///
    /// Nothing is sent blindly a second time: after any doubt the server is asked how much it has, and the rest is sent.
    /// The settings' ``Backoff`` counts from the last byte that the server took. Where the server forgot the upload, it
    /// begins anew. The pieces go without the token, since the session URI is one itself, and only to origins that are
    /// authorized.
    ///
    /// Cancelled, the upload stays at the server, and `state`, as `keep` had it last, goes on with it, also in another
    /// program; ``cancel(_:strategy:)`` ends it there.
    ///
    /// - Parameters:
    ///   - upload: what is uploaded, where to, and how.
    ///   - state: of an earlier, interrupted upload; nil begins one. One of another source, or of a file that changed
    ///     since, is left aside.
    ///   - progress: gets the steps; one for each upload.
    ///   - keep: is given what a later program needs, before the first byte goes out and whenever it changes; it is a
    ///     secret. What it throws ends the upload.
    /// - Returns: the API's answer, with its body.
    /// - Throws: ``UploadFailure``; ``FileFailure``; `OriginRefused` for a session URI elsewhere; what a status that is no
    ///   success means, as ``data(for:body:upTo:options:)`` throws it; `TransportError` when the network does not come
    ///   back; what a sequence throws.
    public func upload(
        _ upload: Upload,
        from state: UploadState? = nil,
        progress: TransferProgress? = nil,
        keeping keep: @escaping @Sendable (UploadState) async throws -> Void = { _ in }
    ) async throws -> (HTTPResponse, [UInt8]) {
        defer { progress?.finish() }
        var run = try await UploadRun(self, upload, from: state, progress, keep)
        return try await run.run()
    }

    /// Ends an interrupted upload for good, where the server can; one that it has forgotten is ended already.
    public func cancel(_ state: UploadState, strategy: any UploadStrategy) async throws {
        guard let request = strategy.cancellation(to: try UploadRun.request(to: state.sessionURI)) else { return }
        let answer = try await self.attempt(request, HTTPBody([]), CallOptions(), hasToken: false)
        await Self.drain(answer.body)
        // 499 is how Google says that it did as it was told.
        guard 200...299 ~= answer.status || [404, 410, 499].contains(answer.status) else {
            throw await answer.failure(at: self.runtime.now(), self.settings)
        }
    }

    /// Whether a failure passes by itself, for a request that does no harm twice.
    func passes(_ outcome: CallFailure.Outcome, _ request: HTTPRequest) -> Bool {
        let failure = CallFailure(request: request, outcome: outcome, isIdempotent: true, date: self.runtime.now())
        if case .again = self.settings.retryPolicy.verdict(on: failure) { return true }
        return false
    }
}
