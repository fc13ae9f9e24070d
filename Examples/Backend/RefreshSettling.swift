// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import ServiceLifecycle
import Tessera

/// A service that delays shutdown until refreshes in progress are saved.
///
/// If the provider rotates refresh tokens, an interrupted refresh loses the user's session.
struct RefreshSettling: Service {
    let signIn: SignIn

    func run() async throws {
        // If the other services fail, this one is canceled, and the refreshes in progress have to be saved too.
        try? await gracefulShutdown()
        await self.signIn.settle()
    }
}
