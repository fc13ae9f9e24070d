// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

extension GIDSignIn {
    /// Sets the provider of App Check tokens, which prove to Google that sign-ins come from the genuine app.
    ///
    /// - Parameters:
    ///   - provider: The object that provides a token for each sign-in, or nil to stop sending tokens.
    ///   - completion: Receives nil once the first token has been obtained, or the provider's error.
    public func configure(
        appCheckProvider provider: (any GIDAppCheckTokenProvider)?,
        completion: (((any Error)?) -> Void)? = nil
    ) {
        self.report(to: completion) { try await self.prepare(provider) }
    }

    /// Sets the provider of App Check tokens, which prove to Google that sign-ins come from the genuine app.
    ///
    /// - Throws: ``GIDSignInError`` that wraps the provider's error.
    public func configure(appCheckProvider provider: (any GIDAppCheckTokenProvider)?) async throws {
        try await self.mapping { try await self.prepare(provider) }
    }

    private func prepare(_ provider: (any GIDAppCheckTokenProvider)?) async throws {
        self.state.withLock { $0.appCheck = provider }
        _ = try await provider?.limitedUseToken()
    }
}

/// A source of tokens that attest the app to Google, such as Firebase App Check.
///
/// - SeeAlso: [Get started with App Check for Google Sign-In](https://developers.google.com/identity/sign-in/ios/appcheck/get-started)
public protocol GIDAppCheckTokenProvider: Sendable {
    /// Returns a single-use token.
    ///
    /// If this method throws, the sign-in continues without a token, and Google decides whether to accept it.
    func limitedUseToken() async throws -> String
}
