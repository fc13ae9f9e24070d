// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraStores
internal import TesseraSupport

#if canImport(Glibc) || canImport(Musl)
internal import TesseraSecretService
#endif

/// The default store for the user's sessions.
///
/// On Linux, the first sign-in selects the store. It selects encrypted files if they already contain sessions.
/// Otherwise, it selects the keyring if it is available and writable, or else encrypted files. The choice is recorded
/// in `~/.config/tessera/store` (or under `$XDG_CONFIG_HOME`) and used from then on. If the keyring is later missing or
/// locked, an error is thrown and no other store is used. To make a new choice, remove the file. Existing sessions are
/// not moved.
public struct StoreChoice: Sendable {
    /// The URI of the store.
    public let uri: StoreURI
    /// Whether the store was selected by this call.
    public let isNew: Bool
    /// The reason why the keyring was not selected, if it was tried.
    public let obstacle: StoreError?

    /// Returns the recorded choice, or selects a store and records it.
    ///
    /// If the keyring is locked and a display is available, the user is asked to unlock it.
    ///
    /// - Throws: `StoreError` if there is no home directory, or if the choice cannot be read or recorded.
    public static func forSignIn() async throws -> StoreChoice {
        #if canImport(Glibc) || canImport(Musl)
        guard let location = ChosenStore.currentUser else {
            return StoreChoice(uri: try PlatformDefaults.fileStoreURI(), isNew: false, obstacle: nil)
        }
        if let chosen = try await BlockingExecutor.shared.run({ try location.read() }) {
            return StoreChoice(uri: try location.uri(chosen), isNew: false, obstacle: nil)
        }
        let (uri, obstacle) = try await Self.best()
        let chosen = try await BlockingExecutor.shared.run { try location.record(uri.description) }
        // Another process may have recorded its choice first.
        guard chosen == uri.description else {
            return StoreChoice(uri: try location.uri(chosen), isNew: false, obstacle: nil)
        }
        return StoreChoice(uri: uri, isNew: true, obstacle: obstacle)
        #else
        return StoreChoice(uri: try PlatformDefaults.storeURI(), isNew: false, obstacle: nil)
        #endif
    }
}

extension StoreChoice {
    /// Returns the store for an app that may import a keychain item from Google's library.
    ///
    /// On macOS, this is the data-protection keychain if the app is signed with a keychain access group, and the login
    /// keychain otherwise. If the keychain has no session for this provider and client but the file store has one from
    /// an earlier version, it is the file store. On other platforms, it is the store that ``forSignIn()`` returns.
    ///
    /// - Throws: `StoreError` if the keychain cannot be read, or if it has no session and the file store cannot be
    ///   read. An unreadable store is not treated as empty.
    package static func forGoogleApp(_ provider: Provider) async throws -> any SessionStore {
        #if canImport(AppKit) && !targetEnvironment(macCatalyst)
        return try await self.forGoogleApp(
            provider,
            keychain: KeychainSessionStore(),
            loginKeychain: KeychainSessionStore(kind: .fileBased),
            files: try PlatformDefaults.fileStoreURI().makeStore()
        )
        #else
        return try await self.forSignIn().uri.makeStore()
        #endif
    }

    /// Selects one of the given stores for an app that uses the GoogleSignIn-compatible API on macOS.
    ///
    /// All of the user's apps that are not sandboxed share the file store. Other apps' sessions do not affect the
    /// selection.
    package static func forGoogleApp(
        _ provider: Provider,
        keychain: any SessionStore,
        loginKeychain: any SessionStore,
        files: any SessionStore
    ) async throws -> any SessionStore {
        var chosen = keychain
        var accounts: [Account]
        do {
            accounts = try await keychain.list()
        } catch let error as StoreError where error.status == KeychainStatus.missingEntitlement {
            chosen = loginKeychain
            accounts = try await loginKeychain.list()
        }
        if accounts.contains(where: provider.owns) { return chosen }
        do {
            accounts = try await files.list()
        } catch let error as StoreError where [.corrupt, .newerFormat].contains(error.code) {
            // None of the records in the file store can be read, so the app has no session to lose.
            return chosen
        }
        return accounts.contains(where: provider.owns) ? files : chosen
    }
}

#if canImport(Glibc) || canImport(Musl)
extension StoreChoice {
    private static func best() async throws -> (StoreURI, obstacle: StoreError?) {
        let files = try PlatformDefaults.fileStoreURI()
        // An unreadable store is treated as if it contained sessions.
        if (try? await files.makeStore().list().isEmpty) != true { return (files, nil) }
        do {
            let keyring = try StoreURI(parsing: "secret-service:", factories: [.secretService])
            try await keyring.makeStore().probe()
            return (keyring, nil)
        } catch let error as StoreError {
            return (files, error)
        }
    }
}

extension ChosenStore {
    /// Returns the store URI for a recorded name, or throws an error that contains the file's path.
    func uri(_ name: String) throws -> StoreURI {
        do {
            return try StoreURI(parsing: name, factories: PlatformDefaults.storeFactories)
        } catch let error as StoreError {
            throw StoreError(.unavailable, location: self.path, detail: error.detail)
        }
    }
}
#endif
