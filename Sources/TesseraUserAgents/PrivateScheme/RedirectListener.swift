// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors
internal import TesseraSupport

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import LoopbackHTTP
internal import Tessera

/// A socket on which a program takes the redirects that its other processes were started with.
struct RedirectListener: Sendable {
    private let server: LoopbackServer
    private let path: String

    /// Begins to listen.
    ///
    /// - Throws: ``SignInError`` `noListener`.
    static func start(
        for scheme: PrivateScheme,
        at handover: RedirectHandover,
        _ redirects: HandedRedirects
    ) async throws -> RedirectListener {
        let folder = RedirectFolder(of: scheme, in: handover.directory)
        return try await BlockingExecutor.shared.run {
            let path = try folder.newSocket()
            do throws(LoopbackError) {
                let server = try LoopbackServer.start(at: path) { request in
                    Self.answer(request, for: scheme, redirects)
                }
                return RedirectListener(server: server, path: path)
            } catch {
                throw SignInError(.noListener, detail: "\(path): \(error)")
            }
        }
    }

    /// Ends listening; returns when every answer is on its way, so that the program may exit.
    func stop() async {
        let path = self.path
        try? await BlockingExecutor.shared.run { try FileSystem.remove(path) }
        self.server.stop()
        await self.server.stopped()
    }

    private static func answer(
        _ request: LoopbackRequest,
        for scheme: PrivateScheme,
        _ redirects: HandedRedirects
    ) -> LoopbackResponse {
        guard request.method == "POST", let text = String(wellFormedUTF8: request.body),
            PrivateScheme(of: text) == scheme, let url = URL(string: text)
        else { return .text(status: 400, "Not a redirect.\n") }
        return redirects.receive(url) ? .text(status: 200, "Taken.\n") : .text(status: 404, "Nobody waits for it.\n")
    }
}
