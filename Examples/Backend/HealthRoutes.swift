// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Hummingbird
import Tessera

/// What the site's keepers ask: `/health/live`, `/health/ready`, `/metrics`.
struct HealthRoutes: Sendable {
    let backend: Backend
    let readiness: Readiness
    let metrics: MetricsPage

    func add(to router: Router<BasicRequestContext>) {
        // Restart me when this does not answer.
        router.get("health/live") { _, _ in HTTPResponse.Status.ok }
        // Send me nobody unless this says 200: the database answers, and the end has not begun.
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
