// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera

extension GIDSignIn {
    /// Proves with every sign-in from now on that the program is the genuine one; nil takes it back.
    ///
    /// - Parameters:
    ///   - provider: gives a token for each sign-in.
    ///   - completion: gets nil when a first token could be had, else what the provider threw.
    public func configure(
        appCheckProvider provider: (any GIDAppCheckTokenProvider)?,
        completion: (((any Error)?) -> Void)? = nil
    ) {
        self.report(to: completion) { try await self.prepare(provider) }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: ``GIDSignInError`` with what the provider threw.
    public func configure(appCheckProvider provider: (any GIDAppCheckTokenProvider)?) async throws {
        try await self.mapping { try await self.prepare(provider) }
    }

    private func prepare(_ provider: (any GIDAppCheckTokenProvider)?) async throws {
        self.state.withLock { $0.appCheck = provider }
        _ = try await provider?.limitedUseToken()
    }
}
