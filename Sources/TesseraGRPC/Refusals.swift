// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if GRPC
internal import Synchronization
internal import Tessera

/// What a server made of the tokens that it was shown.
///
/// A try does not know that it is a call's second one: without this a server that refuses whatever it gets would cost
/// two token requests for each call.
final class Refusals: Sendable {
    /// The token that took a refused one's place, while the server has let nobody in with it.
    private let replacement = Mutex<AccessToken?>(nil)

    /// The server let somebody in.
    func note(accepted token: AccessToken) {
        self.replacement.withLock { if $0 == token { $0 = nil } }
    }

    /// The server refused a token: the source gets to know, but for one that it has given in place of a refused one.
    func note(refused token: AccessToken, by source: any AccessTokenSource) async throws {
        guard self.replacement.withLock({ $0 != token }) else { return }
        let newer = try await source.refused(token)
        if newer != token { self.replacement.withLock { $0 = newer } }
    }
}
#endif
