// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Security
internal import Tessera
internal import TesseraDefaults
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraTesting
internal import TesseraUserAgents
internal import Testing
internal import UIKit

@Suite("Stores in an iOS app", .serialized)
struct AppStoreTests {
    /// A keychain service that is unique to this test.
    private let service = "test.\(UUID().uuidString)"
    private let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]

    @Test("Uses the keychain as the default store")
    func defaultStore() throws {
        #expect(try PlatformDefaults.storeURI().description == "keychain:")
    }

    @Test("Fulfills the store contract in the keychain", arguments: SessionStoreContract.all)
    func keychain(sentence: SessionStoreContract) async throws {
        try await sentence.verify(KeychainSessionStore(service: self.service))
    }

    @Test("Fulfills the store contract with files in Application Support", arguments: SessionStoreContract.all)
    func files(sentence: SessionStoreContract) async throws {
        let directory = self.support.appending(path: self.service)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await sentence.verify(
            EncryptedFileStore(directory: directory.path + "/sessions", keyDirectory: directory.path + "/keys")
        )
    }

    @Test("Accesses the stores in the app's container")
    func probes() async throws {
        try await KeychainSessionStore(service: self.service).probe()
        let directory = self.support.appending(path: self.service)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await EncryptedFileStore(directory: directory.path).probe()
    }

    @Test("Updates the accessibility of a keychain item when it is saved")
    func accessibility() async throws {
        let provider = try ScriptedProvider()
        let earlier = KeychainSessionStore(service: self.service, accessibility: .whenUnlockedThisDeviceOnly)
        let record = try await self.session(provider, in: earlier).record
        #expect(self.accessibilities == [kSecAttrAccessibleWhenUnlockedThisDeviceOnly as String])
        let store = KeychainSessionStore(service: self.service)
        try await store.update(record.account) { try await $0.save(record) }
        #expect(self.accessibilities == [kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String])
        try await store.remove(record.account)
        #expect(self.accessibilities.isEmpty)
    }

    @Test("Excludes locks and keys from backups")
    func backups() async throws {
        try await KeychainSessionStore(service: self.service).probe()
        let directory = self.support.appending(path: self.service)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await EncryptedFileStore(directory: directory.path).probe()
        let folder = self.support.appending(path: "tessera")
        for name in ["locks", "keys"] {
            let values = try folder.appending(path: name)
                .resourceValues(forKeys: [URLResourceKey.isExcludedFromBackupKey])
            #expect(values.isExcludedFromBackup == true, "\(name)")
        }
    }

    @Test("Rejects a window without a scene before sending a request")
    func scenelessWindow() async throws {
        let window = await UIWindow()
        let agent = AuthenticationSessionAgent(redirectURI: "test.tessera:/callback") { window }
        await #expect {
            try await agent.makeRedirectReceiver(responseMode: .query)
        } throws: { error in
            (error as? SignInError)?.code == .invalidConfiguration
        }
    }

    /// Signs in and returns the session, which is saved in a store.
    private func session(_ provider: ScriptedProvider, in store: any SessionStore) async throws -> OAuthSession {
        let signIn = SignIn(
            try provider.provider,
            runtime: provider.runtime,
            store: store,
            userAgent: provider.userAgent()
        )
        return try await signIn.signIn(scopes: [.openID])
    }

    /// The accessibility attributes of the items in the keychain.
    private var accessibilities: [String?] {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: self.service,
            kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnAttributes as String: true,
            kSecUseDataProtectionKeychain as String: true,
        ]
        var result: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess,
            let items = result as? [[String: Any]]
        else { return [] }
        return items.map { $0[kSecAttrAccessible as String] as? String }
    }
}
