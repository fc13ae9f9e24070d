// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Hummingbird
import Logging

/// The routes: `/files` and `/health`.
///
/// The service must not accept the user's address from a request, because it can act for all users of the organization.
enum FilesRouter {
    static func make(_ files: UserFiles) -> Router<BasicRequestContext> {
        let router = Router()
        router.get("health") { _, _ in HTTPResponse.Status.ok }
        router.get("files") { _, context -> Response in
            do {
                let text = try await files.names().map { $0 + "\n" }.joined()
                return Response(
                    status: .ok,
                    headers: [.contentType: "text/plain; charset=utf-8"],
                    body: .init(byteBuffer: ByteBuffer(string: text))
                )
            } catch {
                // The description of Tessera's errors contains no secrets.
                context.logger.error("Drive cannot be read", metadata: ["error": "\(error)"])
                return Response(status: .badGateway)
            }
        }
        return router
    }
}
