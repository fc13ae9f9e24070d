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
        _ = try await provider?.attestation()
    }
}

extension GIDAppCheckTokenProvider {
    /// Returns a single-use token.
    ///
    /// - Throws: The provider's error, or ``GIDAppCheckError`` if the token is empty.
    func attestation() async throws -> String {
        let token = try await self.limitedUseToken()
        if token.isEmpty { throw GIDAppCheckError(.unexpectedError) }
        return token
    }
}

#if canImport(UIKit)
extension GIDSignIn {
    /// Not available, because the token of App Attest comes from Firebase's AppCheckCore.
    @available(*, unavailable, message: "Pass a token provider to configure(appCheckProvider:completion:).")
    public func configure(completion: (((any Error)?) -> Void)? = nil) {}

    /// Not available, because the token of App Attest comes from Firebase's AppCheckCore.
    @available(*, unavailable, message: "Pass a token provider to configure(appCheckProvider:).")
    public func configure() async throws {}

    /// Not available, because the debug provider is part of Firebase's AppCheckCore.
    @available(*, unavailable, message: "Pass a token provider to configure(appCheckProvider:completion:).")
    public func configureDebugProvider(withAPIKey APIKey: String, completion: (((any Error)?) -> Void)? = nil) {}

    /// Not available, because the debug provider is part of Firebase's AppCheckCore.
    @available(*, unavailable, message: "Pass a token provider to configure(appCheckProvider:).")
    public func configureDebugProvider(withAPIKey APIKey: String) async throws {}
}
#endif

/// A source of tokens that attest the app to Google, such as Firebase App Check.
///
/// - SeeAlso: [Get started with App Check for Google Sign-In](https://developers.google.com/identity/sign-in/ios/appcheck/get-started)
public protocol GIDAppCheckTokenProvider: Sendable {
    /// Returns a single-use token.
    ///
    /// If this method throws, the sign-in continues without a token, and Google decides whether to accept it.
    func limitedUseToken() async throws -> String
}
