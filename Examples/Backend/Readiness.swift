// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import ServiceLifecycle
import Synchronization

/// A service that is ready for requests until graceful shutdown begins.
final class Readiness: Service {
    private let ready = Mutex(true)
    /// How long the server still accepts requests after the readiness check has begun to fail.
    private let drainTime: Duration

    init(drainTime: Duration) { self.drainTime = drainTime }

    var isReady: Bool { self.ready.withLock { $0 } }

    func run() async throws {
        try await gracefulShutdown()
        self.ready.withLock { $0 = false }
        // The services before this one are stopped when it ends.
        try await Task.sleep(for: self.drainTime)
    }
}
