// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera

#if AsyncHTTPClient || canImport(Darwin)
extension SignIn {
    /// A sign-in over the platform's own transport, store and browser; see ``PlatformDefaults``.
    ///
    /// The first one chooses the store, see ``StoreChoice``.
    ///
    /// - Throws: `StoreError` where sessions have no place to be kept.
    public convenience init(_ provider: Provider) async throws {
        self.init(
            provider,
            transport: PlatformDefaults.transport(permitting: provider.insecure),
            store: try await StoreChoice.forSignIn().uri.makeStore(),
            userAgent: PlatformDefaults.userAgent()
        )
    }
}
#else
extension SignIn {
    /// This platform has no transport without the package trait `AsyncHTTPClient`.
    @available(*, unavailable, message: "Enable the package trait 'AsyncHTTPClient', or give SignIn a transport.")
    public convenience init(_ provider: Provider) async throws {
        throw StoreError(.unavailable, place: "no transport")
    }
}
#endif
