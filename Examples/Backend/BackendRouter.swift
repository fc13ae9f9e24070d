// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Hummingbird
import Logging

/// The router with all routes of the site.
enum BackendRouter {
    static func make(
        _ backend: Backend,
        _ readiness: Readiness,
        _ metrics: MetricsPage
    ) -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.addMiddleware {
            // The query of the callback contains the authorization code.
            TracingMiddleware(redactingQueryParameters: ["code", "state"])
            MetricsMiddleware()
            BackendErrors(logger: backend.logger)
        }
        HealthRoutes(backend: backend, readiness: readiness, metrics: metrics).add(to: router)
        AppRoutes(backend: backend).add(to: router)
        WebRoutes(backend: backend).add(to: router)
        FileRoutes(backend: backend).add(to: router)
        return router
    }
}
