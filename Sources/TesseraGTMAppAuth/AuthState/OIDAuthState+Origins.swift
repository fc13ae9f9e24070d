// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera

extension OIDAuthState {
    /// Where tokens may go unless a program says more.
    var providerOrigins: [OriginPattern] {
        if let session = (self as? SessionAuthState)?.session { return session.authorizedOrigins }
        let state = self.snapshot()
        let request = state.tokenResponse?.request.configuration ?? state.authorizationResponse?.request.configuration
        return request?.origins ?? []
    }
}

extension OIDAuthState {
    /// The network and the clock of its calls.
    func world() throws -> AppAuthWorld {
        if let session = (self as? SessionAuthState)?.session { return AppAuthWorld(runtime: session.runtime) }
        return try AppAuthWorld.current()
    }
}
