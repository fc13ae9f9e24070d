// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Hummingbird
import Tessera

/// The routes for operations: `/health/live`, `/health/ready` and `/metrics`.
struct HealthRoutes: Sendable {
    let backend: Backend
    let readiness: Readiness
    let metrics: MetricsPage

    func add(to router: Router<BasicRequestContext>) {
        // Liveness: a supervisor restarts the program if this route does not respond.
        router.get("health/live") { _, _ in HTTPResponse.Status.ok }
        // Readiness: 200 if the database responds and shutdown has not begun. Otherwise a load balancer sends no
        // requests.
        router.get("health/ready") { _, _ in await self.ready() }
        router.get("metrics") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4"],
                body: .init(byteBuffer: ByteBuffer(string: self.metrics.text))
            )
        }
    }

    private func ready() async -> HTTPResponse.Status {
        guard self.readiness.isReady else { return .serviceUnavailable }
        do {
            _ = try await self.backend.transients.content(of: "ready")
            return .ok
        } catch {
            self.backend.logger.warning("not ready", metadata: ["reason": "\(error)"])
            return .serviceUnavailable
        }
    }
}
