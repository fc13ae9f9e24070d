// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraStores
internal import TesseraSupport

#if canImport(Glibc) || canImport(Musl)
internal import TesseraSecretService
#endif

/// The store of this user's sessions, where nobody names one.
///
/// On Linux the first sign-in chooses: the keyring where one answers and can be written to, else encrypted files. Where
/// sessions lie in encrypted files already, those stay it. The choice is written down in `~/.config/tessera/store`
/// (`$XDG_CONFIG_HOME` counts) and holds from then on: a keyring that is missing or locked later is an error, never a
/// reason to look elsewhere. To choose anew, remove that file; sessions are not moved.
public struct StoreChoice: Sendable {
    /// The store.
    public let uri: StoreURI
    /// Whether it was chosen at this moment.
    public let isNew: Bool
    /// Why it is not the keyring, where that was asked.
    public let obstacle: StoreError?

    /// The choice that was made, or makes it.
    ///
    /// Where a keyring is locked and a display is there, the person is asked to unlock it.
    ///
    /// - Throws: `StoreError` where no home directory is known, or the choice cannot be read or written down.
    public static func forSignIn() async throws -> StoreChoice {
        #if canImport(Glibc) || canImport(Musl)
        guard let place = ChosenStore.ofUser else {
            return StoreChoice(uri: try PlatformDefaults.fileStoreURI(), isNew: false, obstacle: nil)
        }
        if let chosen = try await BlockingExecutor.shared.run({ try place.read() }) {
            return StoreChoice(uri: try place.uri(chosen), isNew: false, obstacle: nil)
        }
        let (uri, obstacle) = try await Self.best()
        let chosen = try await BlockingExecutor.shared.run { try place.record(uri.description) }
        // Another process may have been first.
        guard chosen == uri.description else {
            return StoreChoice(uri: try place.uri(chosen), isNew: false, obstacle: nil)
        }
        return StoreChoice(uri: uri, isNew: true, obstacle: obstacle)
        #else
        return StoreChoice(uri: try PlatformDefaults.storeURI(), isNew: false, obstacle: nil)
        #endif
    }
}

extension StoreChoice {
    /// Returns the store of an app that may take over a keychain item of Google's library.
    ///
    /// On macOS the keychain: the data-protection keychain for an app that is signed with a keychain access group, else the
    /// login keychain. It is the file store only as long as that has a session of this provider and client, from an earlier
    /// version, and the keychain has none. Elsewhere it is the store of ``forSignIn()``.
    ///
    /// - Throws: `StoreError` if the keychain cannot be read, or the file store where the keychain has no session: a store
    ///   that cannot be read is not an empty one.
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

    /// Returns one of the stores that a Mac has for an app of Google's names, as described above.
    ///
    /// All programs of the user that are not sandboxed share the file store. What others store there changes nothing here.
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
            // No record there can be read, so this app has no session to lose.
            return chosen
        }
        return accounts.contains(where: provider.owns) ? files : chosen
    }
}

#if canImport(Glibc) || canImport(Musl)
extension StoreChoice {
    private static func best() async throws -> (StoreURI, obstacle: StoreError?) {
        let files = try PlatformDefaults.fileStoreURI()
        // A record that cannot be read is one, too.
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
    /// The store of a name that was written down; an error says where.
    func uri(_ name: String) throws -> StoreURI {
        do {
            return try StoreURI(parsing: name, factories: PlatformDefaults.storeFactories)
        } catch let error as StoreError {
            throw StoreError(.unavailable, place: self.path, detail: error.detail)
        }
    }
}
#endif
