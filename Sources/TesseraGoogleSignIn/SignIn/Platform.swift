// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraDefaults
internal import TesseraGTMAppAuth
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport

/// The settings, the transport and the stores of an instance without a custom sign-in, which tests replace.
struct Platform: Sendable {
    /// Returns the configuration of Info.plist or the environment, if any.
    var configuration: @Sendable () throws -> GIDConfiguration? = { try GIDConfiguration.found() }
    /// Returns the runtime for requests to a provider.
    var runtime: @Sendable (Provider) throws -> OAuthRuntime = { try Self.defaultRuntime(for: $0) }
    /// Returns the store for a provider's sessions.
    var store: @Sendable (Provider) async throws -> any SessionStore = { try await StoreChoice.forGoogleApp($0) }
    /// Returns the store that no other app uses, or nil if there is none.
    var ownStore: @Sendable () -> (any SessionStore)? = { Self.defaultOwnStore }
    /// The keychain item of Google's library.
    var item: KeychainStore? = Self.defaultItem
    /// The place of the item in earlier releases of that library.
    var formerItem: FormerItem? = Self.defaultFormerItem

    private static func defaultRuntime(for provider: Provider) throws -> OAuthRuntime {
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || AsyncHTTPClient
        OAuthRuntime(transport: PlatformDefaults.transport(insecure: provider.insecure))
        #else
        throw GIDSignInError(
            .invalidConfiguration,
            detail: "enable the package trait AsyncHTTPClient, or use GIDSignIn(signIn:)"
        )
        #endif
    }

    private static var defaultOwnStore: (any SessionStore)? {
        #if canImport(Security)
        KeychainSessionStore()
        #else
        nil
        #endif
    }

    #if canImport(Security)
    private static let defaultItem: KeychainStore? = KeychainStore(itemName: "auth")
    #else
    private static let defaultItem: KeychainStore? = nil
    #endif

    private static var defaultFormerItem: FormerItem? {
        #if canImport(AppKit) && !targetEnvironment(macCatalyst)
        FormerItem(
            store: KeychainStore(itemName: "auth", keychainAttributes: [.useFileBasedKeychain]),
            isMoved: {
                guard let mark = FormerItem.mark else { return false }
                return (try? await BlockingExecutor.reading.run { try FileSystem.exists(mark) }) ?? false
            },
            markAsMoved: {
                guard let mark = FormerItem.mark else { return }
                try? await BlockingExecutor.shared.run { try FileSystem.makeMark(mark) }
            }
        )
        #else
        nil
        #endif
    }
}

/// The item in the login keychain of macOS, where Google's library stored its user before release 9.
///
/// Reading another app's item prompts the user, so the item is read only once.
struct FormerItem: Sendable {
    /// The store that reads the item.
    var store: KeychainStore
    /// Returns whether the item has been moved or was missing.
    var isMoved: @Sendable () async -> Bool
    /// Records that the item has been moved or was missing.
    var markAsMoved: @Sendable () async -> Void

    /// The file that shows that the item has been moved.
    static var mark: String? {
        guard let directory = UserFolders.current.containerDirectory else { return nil }
        return directory + "/dev.tessera.moved-" + Base64URL.encode(Array(FilePasswords.program.utf8))
    }

    /// Moves the item to its new place.
    ///
    /// If it cannot be saved there, it remains, and the next call tries again. An item that the user does not allow the
    /// app to read, or that cannot be decoded, remains for good, as does one that a newer item has replaced.
    func move(to destination: KeychainStore) async {
        if await self.isMoved() { return }
        do {
            _ = try await destination.loadAuthSession()
            return await self.markAsMoved()
        } catch KeychainStore.Error.passwordNotFound {
            // The item can be moved without replacing another one.
        } catch KeychainStore.Error.unhandled {
            return
        } catch {
            return await self.markAsMoved()
        }
        do {
            let session = try await self.store.loadAuthSession()
            do { try await destination.storeAuthSession(session) } catch { return }
            try? await self.store.deleteAuthSession()
        } catch KeychainStore.Error.unhandled(let status)
            where ![KeychainStatus.userCanceled, KeychainStatus.authenticationFailed].contains(status)
        {
            return
        } catch {
            // There is no item that could be moved later.
        }
        await self.markAsMoved()
    }
}

extension FileSystem {
    /// Creates an empty file that shows that something has been done, and its directory.
    ///
    /// The file is included in backups, because a backup also restores the keychain items.
    static func makeMark(_ path: String) throws {
        let directory = URL(filePath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try StoreError.mapping(FileSystem.makePrivateFile(path, isBackedUp: true))
    }
}
