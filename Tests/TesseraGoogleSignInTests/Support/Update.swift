// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn
internal import TesseraTesting

/// A program after its update: what the library before stored, and an empty store.
struct Update {
    let before: Program
    let after: Program
    let passwords = PasswordsInMemory()
    /// The item of the library before.
    let item: KeychainStore
    let folder = KeychainFolder()

    /// `store` makes the program's store after its update; nil is the keychain.
    init(
        _ options: ScriptedProvider.Options = ScriptedProvider.Options(),
        store: ((KeychainFolder) -> any SessionStore)? = nil
    ) async throws {
        self.before = try Program(options)
        let user = try await self.before.signedIn([Program.drive])
        self.item = KeychainStore(itemName: "auth", keychainHelper: self.passwords)
        try self.item.save(authSession: AuthSession(user.session))
        self.after = try self.before.updated(store?(self.folder) ?? self.folder.store())
        self.after.google.ancestorStore = self.item
    }

    /// The program after its update when it runs the next time.
    func restarted() throws -> Program {
        let next = try self.after.restarted()
        next.google.ancestorStore = self.item
        return next
    }
}
