// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn
internal import TesseraTesting

/// An app after its migration from Google's library, with the old item and an empty store.
struct Update {
    let before: Program
    let after: Program
    let passwords = PasswordsInMemory()
    /// The keychain item of Google's library.
    let item: KeychainStore
    let folder = KeychainFolder()

    /// Creates an app before and after its update.
    ///
    /// `store` creates the store of the updated app, which is the keychain by default.
    init(
        _ options: ScriptedProvider.Options = ScriptedProvider.Options(),
        store: ((KeychainFolder) -> any SessionStore)? = nil
    ) async throws {
        self.before = try Program(options)
        let user = try await self.before.signedIn([Program.drive])
        self.item = KeychainStore(itemName: "auth", keychainHelper: self.passwords)
        try self.item.save(authSession: AuthSession(user.session))
        self.after = try self.before.updated(store?(self.folder) ?? self.folder.store())
        self.after.google.googleSignInStore = self.item
    }

    /// Returns the updated app after a restart.
    func restarted() throws -> Program {
        let next = try self.after.restarted()
        next.google.googleSignInStore = self.item
        return next
    }
}
