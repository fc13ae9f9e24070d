// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import ServiceLifecycle
import Tessera

/// Holds the program's end back until refreshes that are under way are saved: with rotating refresh tokens one that is
/// cut off loses the person's session.
struct RefreshSettling: Service {
    let signIn: SignIn

    func run() async throws {
        try await gracefulShutdown()
        await self.signIn.settle()
    }
}
