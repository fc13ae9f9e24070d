// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import ServiceLifecycle
import Synchronization

/// A service that is ready for requests until graceful shutdown begins.
final class Readiness: Service {
    private let ready = Mutex(true)

    var isReady: Bool { self.ready.withLock { $0 } }

    func run() async throws {
        try await gracefulShutdown()
        self.ready.withLock { $0 = false }
    }
}
