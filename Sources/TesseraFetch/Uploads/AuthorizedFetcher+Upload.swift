// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import Tessera
internal import TesseraOAuth

extension AuthorizedFetcher {
    /// Uploads in pieces, and continues after interruptions.
    ///
    /// Nothing is sent twice without need: after a failure the server is asked how much it has, and gets the rest. The
    /// settings' ``Backoff`` counts from the last byte that the server took. If the server forgot the upload, it begins
    /// again. The pieces have no token, since the session URI is a credential itself, and go to authorized origins only.
    ///
    /// A cancelled upload stays at the server. The `state` that `keep` got last continues it, also in another program, and
    /// ``cancel(_:strategy:)`` ends it.
    ///
    /// - Parameters:
    ///   - upload: The bytes, where they go, and how.
    ///   - state: The state of an interrupted upload; nil begins one. It is ignored if it belongs to another source, or to
    ///     a file that changed since.
    ///   - progress: Gets the steps; one for each upload.
    ///   - keep: Gets the state that another program needs, before the first byte is sent and whenever it changes. It is a
    ///     secret. An error that `keep` throws ends the upload.
    /// - Returns: The API's response with its body.
    /// - Throws: ``UploadError``; ``FileError``; `UnauthorizedOriginError` for a session URI elsewhere; the errors of
    ///   ``data(for:body:upTo:options:)`` for a status that is not a success; `TransportError` if the network stays away;
    ///   the errors of the source.
    public func upload(
        _ upload: Upload,
        from state: UploadState? = nil,
        progress: TransferProgress? = nil,
        keeping keep: @escaping @Sendable (UploadState) async throws -> Void = { _ in }
    ) async throws -> (HTTPResponse, [UInt8]) {
        defer { progress?.finish() }
        var run = UploadRun(self, upload, from: state, progress, keep)
        return try await run.run()
    }

    /// Ends an interrupted upload at the server, unless the server has forgotten it or has no request for that.
    public func cancel(_ state: UploadState, strategy: any UploadStrategy) async throws {
        guard let request = strategy.cancellation(to: try UploadRun.request(to: state.sessionURI)) else { return }
        var options = CallOptions()
        options.hasToken = false
        let response = try await self.sendOnce(request, HTTPBody([]), options)
        await response.drain()
        // Google reports a cancelled upload with 499.
        guard 200...299 ~= response.status || [404, 410, 499].contains(response.status) else {
            throw await self.error(of: response)
        }
    }
}
