// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("KeychainStore, as in GTMAppAuth")
struct KeychainStoreOriginalTests {
    private static func session() throws -> AuthSession {
        AuthSession(
            authState: try SessionSamples.state(["access_token": "access_token", "refresh_token": "refresh_token"]),
            serviceProvider: "fooProvider",
            userID: "123456789",
            userEmail: "foo@foo.com",
            userEmailIsVerified: "y"
        )
    }

    private static func store(_ keychain: RecordingKeychain = RecordingKeychain()) -> KeychainStore {
        KeychainStore(itemName: "testName", keychainHelper: PlatformKeychain(KeychainPasswords(keychain, [])))
    }

    @Test(
        "Has an item name and no attributes by default",
        .original("GTMAppAuth GTMKeychainStoreTests.testInitWithItemName")
    )
    func itemName() {
        let store = KeychainStore(itemName: "testName")
        #expect(store.itemName == "testName")
        #expect(store.keychainAttributes.isEmpty)
        #expect(store.keychainHelper.keychainAttributes.isEmpty)
    }

    @Test(
        "Uses the helper's attributes",
        .original("GTMAppAuth GTMKeychainStoreTests.testInitWithItemNameKeychainHelper")
    )
    func helper() {
        let helper = AppKeychainHelper(keychainAttributes: [.keychainAccessGroup(name: "testGroup")])
        let store = KeychainStore(itemName: "testName", keychainHelper: helper)
        #expect(store.itemName == "testName")
        #expect(store.keychainAttributes == helper.keychainAttributes)
        #expect(store.keychainHelper === helper)
    }

    @Test(
        "Has the attributes from the initializer",
        .original("GTMAppAuth GTMKeychainStoreTests.testKeychainStoreAttributes")
    )
    func attributes() {
        let group = KeychainAttribute.keychainAccessGroup(name: "testGroup")
        let store = KeychainStore(itemName: "testName", keychainAttributes: [.useFileBasedKeychain, group])
        #expect(store.keychainAttributes == [.useFileBasedKeychain, group])
        #expect(store.keychainHelper.keychainAttributes == [.useFileBasedKeychain, group])
    }

    @Test(
        "Retrieves the session that was saved",
        .original("GTMAppAuth KeychainStoreTests.testSaveAndRetrieveAuthSession")
    )
    func roundTrip() throws {
        let store = Self.store()
        try store.save(authSession: Self.session())
        let copy = try store.retrieveAuthSession()
        #expect(copy.serviceProvider == "fooProvider")
        #expect(copy.userID == "123456789")
        #expect(copy.userEmail == "foo@foo.com")
        #expect(copy.userEmailIsVerified)
        #expect(copy.canAuthorize)
        #expect(copy.authState.lastTokenResponse?.accessToken == "access_token")
        #expect(copy.authState.refreshToken == "refresh_token")
    }

    @Test(
        "Saves and retrieves a session under another name",
        .original("GTMAppAuth KeychainStoreTests.testSaveAuthSessionForItemName")
    )
    func otherName() throws {
        let store = Self.store()
        try store.save(authSession: Self.session(), withItemName: "anotherItemName")
        #expect(store.itemName == "testName")
        #expect(try store.retrieveAuthSession(withItemName: "anotherItemName").userID == "123456789")
        #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "testName")) {
            try store.retrieveAuthSession()
        }
    }

    @Test(
        "Uses a new item name in later calls",
        .original("GTMAppAuth GTMKeychainStoreTests.testSavingWithNewItemName")
    )
    func newName() throws {
        let keychain = RecordingKeychain()
        let store = Self.store(keychain)
        store.itemName = "newItemName"
        try store.save(authSession: Self.session())
        #expect(keychain.items.map(\.item.service) == ["newItemName"])
        #expect(try store.retrieveAuthSession().userID == "123456789")
        try store.removeAuthSession()
        #expect(keychain.items.isEmpty)
    }

    @Test(
        "Does not save without an item name",
        .original("GTMAppAuth KeychainStoreTests.testSavePasswordNoService")
    )
    func saveWithoutName() throws {
        let session = try Self.session()
        #expect(throws: KeychainStore.Error.noService) { try Self.store().save(authSession: session, withItemName: "") }
    }

    @Test(
        "Does not retrieve without an item name",
        .original("GTMAppAuth KeychainStoreTests.testRetrievePasswordNoService")
    )
    func retrieveWithoutName() {
        #expect(throws: KeychainStore.Error.noService) { try Self.store().retrieveAuthSession(withItemName: "") }
    }

    @Test(
        "Does not remove without an item name",
        .original("GTMAppAuth KeychainStoreTests.testRemovePasswordNoService")
    )
    func removeWithoutName() {
        #expect(throws: KeychainStore.Error.noService) { try Self.store().removeAuthSession(withItemName: "") }
    }

    @Test(
        "Reports a missing item when it retrieves a session",
        .original("GTMAppAuth KeychainStoreTests.testPasswordNotFoundError")
    )
    func missingItem() {
        #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "testName")) {
            try Self.store().retrieveAuthSession()
        }
    }

    @Test(
        "Reports a missing item when it removes a session",
        .original("GTMAppAuth KeychainStoreTests.testFailedToDeletePasswordError")
    )
    func missingItemToRemove() {
        #expect(throws: KeychainStore.Error.failedToDeletePasswordBecauseItemNotFound(itemName: "testName")) {
            try Self.store().removeAuthSession()
        }
    }

    @Test(
        "Does not find a session that was removed",
        .original("GTMAppAuth AuthSessionTests.testRemoveAuthSession")
    )
    func remove() throws {
        let store = Self.store()
        try store.save(authSession: Self.session())
        try store.removeAuthSession(withItemName: "testName")
        #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "testName")) {
            try store.retrieveAuthSession()
        }
    }

    @Test(
        "Passes GTMAppAuth's accessibility to a custom helper, or nil for the file-based keychain",
        .original("GTMAppAuth KeychainStore.save(authSession:withItemName:)"),
        arguments: [
            ([], "data testName cku"), ([.keychainAccessGroup(name: "testGroup")], "data testName cku"),
            (
                [.useFileBasedKeychain],
                KeychainLocation.hasFileBasedKeychain ? "data testName" : "data testName cku"
            ),
        ] as [(Set<KeychainAttribute>, String)]
    )
    func accessibility(attributes: Set<KeychainAttribute>, call: String) throws {
        let helper = AppKeychainHelper(keychainAttributes: attributes)
        let store = KeychainStore(itemName: "testName", keychainHelper: helper)
        try store.save(authSession: Self.session())
        #expect(helper.calls == [call])
        #expect(try store.retrieveAuthSession().userID == "123456789")
    }

    @Test(
        "Reports an item that is not an archive by its name, unlike GTMAppAuth",
        .original("GTMAppAuth KeychainStore.retrieveAuthSession(withItemName:)"),
        arguments: ["garbage", "access_token=a&refresh_token=b"]
    )
    func otherData(text: String) throws {
        let store = Self.store()
        try store.keychainHelper.setPassword(text, forService: "testName")
        #expect(throws: KeychainStore.Error.failedToConvertKeychainDataToAuthSession(itemName: "testName")) {
            try store.retrieveAuthSession()
        }
    }

    @Test(
        "Reports an archive of another object by the item's name",
        .original("GTMAppAuth KeychainStore.retrieveAuthSession(withItemName:)")
    )
    func otherObject() throws {
        let store = Self.store()
        let data = try AppAuthArchive.archive(Self.session().authState)
        try store.keychainHelper.setPassword(data: data, forService: "testName", accessibility: nil)
        #expect(throws: KeychainStore.Error.failedToConvertKeychainDataToAuthSession(itemName: "testName")) {
            try store.retrieveAuthSession()
        }
    }

    /// A store that an app has written itself.
    private final class Memory: AuthSessionStore {
        private let session = Mutex<AuthSession?>(nil)

        func save(authSession: AuthSession) throws { self.session.withLock { $0 = authSession } }
        func removeAuthSession() throws { self.session.withLock { $0 = nil } }
        func retrieveAuthSession() throws -> AuthSession {
            guard let session = self.session.withLock({ $0 }) else {
                throw KeychainStore.Error.passwordNotFound(forItemName: "memory")
            }
            return session
        }
    }

    @Test("Can be replaced by an app's own store", .original("GTMAppAuth AuthSessionStore"))
    func protocolType() throws {
        let stores: [any AuthSessionStore] = [Memory(), Self.store()]
        for store in stores {
            try store.save(authSession: Self.session())
            #expect(try store.retrieveAuthSession().userID == "123456789")
            try store.removeAuthSession()
            #expect(throws: KeychainStore.Error.self) { try store.retrieveAuthSession() }
        }
    }
}
