// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraDefaults
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("Store selection for GIDSignIn on macOS")
struct GoogleAppStoreTests {
    private static let issuer = "https://accounts.example"
    private static let ours = Account(issuer: Self.issuer, clientID: "app", subject: "ada")
    private static let otherPrograms = [
        Account(issuer: Self.issuer, clientID: "command", subject: "ada"),
        Account(issuer: "https://other.example", clientID: "app", subject: "ada"),
    ]

    private let folder = KeychainFolder()
    private var keychain: KeychainSessionStore { self.folder.store() }
    private var loginKeychain: KeychainSessionStore { self.folder.store(usesDataProtection: false) }

    private static func save(_ accounts: [Account], in store: any SessionStore) async throws {
        for account in accounts { try await store.update(account) { try await $0.save(try .sample(for: account)) } }
    }

    /// Returns the store that is chosen for the app.
    private func choice(files: (any SessionStore)? = nil) async throws -> any SessionStore {
        let provider = Provider(
            issuer: try Issuer(Self.issuer),
            client: OAuthClient(clientID: "app")
        )
        return try await StoreChoice.forGoogleApp(
            provider,
            keychain: self.keychain,
            loginKeychain: self.loginKeychain,
            files: files ?? self.folder.files()
        )
    }

    @Test("Chooses the keychain if the app has no session in files")
    func otherPrograms() async throws {
        #expect(try await self.choice() is KeychainSessionStore)
        try await Self.save(Self.otherPrograms, in: self.folder.files())
        #expect(try await self.choice() is KeychainSessionStore)
    }

    @Test("Chooses the file store until the app's session there is removed")
    func earlierVersion() async throws {
        try await Self.save([Self.ours], in: self.folder.files())
        let files = try await self.choice()
        #expect(files is EncryptedFileStore)
        try await files.remove(Self.ours)
        #expect(try await self.choice() is KeychainSessionStore)
    }

    @Test("Stays with the keychain if the app has sessions in both")
    func signedIn() async throws {
        try await Self.save([Self.ours], in: self.keychain)
        try await Self.save([Self.ours], in: self.folder.files())
        #expect(try await self.choice() is KeychainSessionStore)
        #expect(try await self.choice().list() == [Self.ours])
    }

    @Test("Chooses the login keychain for an app without an access group")
    func loginKeychainOnly() async throws {
        self.folder.keychain.fail("add", KeychainStatus.missingEntitlement, times: 1)
        try await Self.save([Self.ours], in: self.folder.files())
        #expect(try await self.choice() is EncryptedFileStore)
        try await Self.save([Self.ours], in: self.loginKeychain)
        self.folder.keychain.fail("add", KeychainStatus.missingEntitlement)
        let store = try await self.choice()
        #expect(store is KeychainSessionStore)
        #expect(try await store.list() == [Self.ours])
    }

    @Test("Throws if the keychain cannot be read")
    func lockedKeychain() async throws {
        try await Self.save([Self.ours], in: self.folder.files())
        self.folder.keychain.fail("items", KeychainStatus.interactionNotAllowed)
        await #expect { try await self.choice() } throws: { StoreError.Code.deviceLocked ~= $0 }
    }

    @Test("Throws for unreadable files and ignores damaged ones")
    func unreadableFiles() async throws {
        let files = LockableStore()
        files.isLocked.withLock { $0 = true }
        await #expect { try await self.choice(files: files) } throws: { StoreError.Code.deviceLocked ~= $0 }
        try await Self.save([Self.ours], in: self.keychain)
        #expect(try await self.choice(files: files) is KeychainSessionStore)
        try await self.keychain.remove(Self.ours)
        try await Self.save([Self.ours], in: self.folder.files())
        let directory = URL(fileURLWithPath: self.folder.path + "/store")
        for file in try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        where file.pathExtension == "session" {
            try Data("damaged".utf8).write(to: file)
        }
        await #expect { try await self.folder.files().list() } throws: { StoreError.Code.corrupt ~= $0 }
        #expect(try await self.choice() is KeychainSessionStore)
    }
}
