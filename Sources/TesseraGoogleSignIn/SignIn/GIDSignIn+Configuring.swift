// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

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

/// Proves to Google that the program is the genuine one: the door to Firebase App Check, or to whatever the program has.
///
/// - SeeAlso: [Get started with App Check for Google Sign-In](https://developers.google.com/identity/sign-in/ios/appcheck/get-started)
public protocol GIDAppCheckTokenProvider: Sendable {
    /// A token for one use.
    ///
    /// What it throws does not keep the person from signing in: Google then decides without a proof.
    func limitedUseToken() async throws -> String
}
