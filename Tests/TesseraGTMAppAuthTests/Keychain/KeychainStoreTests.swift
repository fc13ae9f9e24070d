// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraStores
internal import TesseraSupport
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import Testing

@Suite("KeychainStore")
struct KeychainStoreTests {
    private static func session() throws -> AuthSession {
        AuthSession(
            authState: OIDAuthState(
                authorizationResponse: try Samples.authorizationResponse(),
                tokenResponse: try Samples.tokenResponse()
            ),
            serviceProvider: "Example",
            userID: "person",
            userEmail: "ada@example.com",
            userEmailIsVerified: "y"
        )
    }

    private static func store(_ attributes: Set<KeychainAttribute> = []) -> (KeychainStore, RecordingKeychain) {
        let keychain = RecordingKeychain()
        let helper = PlatformKeychain(KeychainPasswords(keychain, attributes), attributes)
        return (KeychainStore(itemName: "item", keychainHelper: helper), keychain)
    }

    @Test("Saves, retrieves and removes a session")
    func roundTrip() throws {
        let (store, keychain) = Self.store()
        #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "item")) { try store.retrieveAuthSession() }
        let session = try Self.session()
        try store.save(authSession: session)
        try store.save(authSession: session)
        #expect(keychain.items.count == 1)
        let copy = try store.retrieveAuthSession()
        #expect(copy.userID == "person")
        #expect(copy.userEmail == "ada@example.com")
        #expect(copy.userEmailIsVerified)
        #expect(copy.serviceProvider == "Example")
        #expect(copy.authState.refreshToken == session.authState.refreshToken)
        #expect(copy.authState.lastTokenResponse?.accessToken == session.authState.lastTokenResponse?.accessToken)
        try store.removeAuthSession()
        #expect(throws: KeychainStore.Error.failedToDeletePasswordBecauseItemNotFound(itemName: "item")) {
            try store.removeAuthSession()
        }
    }

    @Test("Saves the authorized origins with the session")
    func origins() throws {
        let (store, _) = Self.store()
        let session = try Self.session()
        try store.save(authSession: session)
        #expect(try store.retrieveAuthSession().authorizedOrigins == session.authorizedOrigins)
        session.authorizedOrigins = [
            try OriginPattern("https://api.example"), try OriginPattern("https://*.b.example"),
        ]
        try store.save(authSession: session)
        #expect(try store.retrieveAuthSession().authorizedOrigins == session.authorizedOrigins)
    }

    @Test("Stores sessions under several names and rejects an empty name")
    func names() throws {
        let (store, keychain) = Self.store()
        let session = try Self.session()
        try store.save(authSession: session, withItemName: "other")
        #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "item")) { try store.retrieveAuthSession() }
        #expect(try store.retrieveAuthSession(withItemName: "other").userID == "person")
        store.itemName = "other"
        #expect(try store.retrieveAuthSession().userID == "person")
        try store.removeAuthSession(withItemName: "other")
        #expect(keychain.items.isEmpty)
        #expect(throws: KeychainStore.Error.noService) { try store.save(authSession: session, withItemName: "") }
        #expect(throws: KeychainStore.Error.noService) { try store.retrieveAuthSession(withItemName: "") }
        #expect(throws: KeychainStore.Error.noService) { try store.removeAuthSession(withItemName: "") }
    }

    @Test(
        "Uses GTMAppAuth's account, service and accessibility for its items",
        arguments: [[], [.useFileBasedKeychain], [.keychainAccessGroup(name: "TEAM.group")]] as [Set<KeychainAttribute>]
    )
    func items(attributes: Set<KeychainAttribute>) throws {
        let (store, keychain) = Self.store(attributes)
        try store.save(authSession: try Self.session())
        let entry = try #require(keychain.items.first)
        let item = entry.item
        #expect(item.service == "item")
        #expect(item.account == "OAuth")
        #expect(item.label.isEmpty)
        #expect(item.attributes.isEmpty)
        #expect(entry.accessibility == .afterFirstUnlockThisDeviceOnly)
        #expect(entry.key.usesDataProtection == !attributes.contains(.useFileBasedKeychain))
        let namesGroup = attributes.contains(.keychainAccessGroup(name: "TEAM.group"))
        #expect((entry.key.group == "TEAM.group") == namesGroup)
        let query = store.keychainHelper.keychainQuery(forService: "item")
        #expect(query.values.contains { $0 as? String == "OAuth" })
        #expect(query.values.contains { $0 as? String == "item" })
        #expect(query.values.contains { $0 as? String == "TEAM.group" } == namesGroup)
    }

    @Test("Writes GTMAppAuth's class names and keys and reads the newer class name")
    func classNames() throws {
        let (store, keychain) = Self.store()
        try store.save(authSession: try Self.session())
        let item = try #require(keychain.items.first).item
        var plist = try ArchivePlist(Data(item.data))
        let names = try plist.classNames()
        #expect(names.isSuperset(of: ["GTMAppAuthFetcherAuthorization", "OIDAuthState", "OIDTokenResponse"]))
        #expect(!names.contains { $0.contains(".") || $0 == "AuthSession" })
        let keys: Set = ["authState", "serviceProvider", "userID", "userEmail", "userEmailIsVerified"]
        #expect(try plist.keys(of: "GTMAppAuthFetcherAuthorization") == keys)
        plist.xml = plist.xml.replacing("GTMAppAuthFetcherAuthorization", with: "GTMAuthSession")
        try store.keychainHelper.setPassword(data: try plist.data, forService: "item", accessibility: nil)
        #expect(try store.retrieveAuthSession().userID == "person")
    }

    @Test("Reports a corrupt item by name and keychain errors by status")
    func failures() throws {
        let (store, keychain) = Self.store()
        try store.keychainHelper.setPassword("no archive", forService: "item")
        #expect(throws: KeychainStore.Error.failedToConvertKeychainDataToAuthSession(itemName: "item")) {
            try store.retrieveAuthSession()
        }
        keychain.fail(KeychainStatus.interactionNotAllowed)
        let error = #expect(throws: KeychainStore.Error.self) { try store.retrieveAuthSession() }
        let old = try #require(error) as NSError
        #expect(old.domain == "GTMAppAuthKeychainErrorDomain")
        #expect(old.code == 0)
        #expect(old.userInfo["status"] as? Int32 == KeychainStatus.interactionNotAllowed)
        #expect(throws: KeychainStore.Error.unhandled(status: KeychainStatus.interactionNotAllowed)) {
            try store.save(authSession: try Self.session())
        }
        #expect(throws: KeychainStore.Error.unhandled(status: KeychainStatus.interactionNotAllowed)) {
            try store.removeAuthSession()
        }
    }

    @Test("Applies the given accessibility, also when it replaces an item")
    func accessibility() throws {
        let (store, keychain) = Self.store()
        let helper = store.keychainHelper
        for (constant, accessibility) in Self.accessibilities {
            try helper.setPassword("secret", forService: "item", accessibility: constant as NSString)
            #expect(keychain.items.map(\.accessibility) == [accessibility])
            try helper.setPassword(data: Data([1]), forService: constant, accessibility: constant as NSString)
            #expect(keychain.items.contains { $0.item.service == constant && $0.accessibility == accessibility })
            try helper.removePassword(forService: constant)
        }
        try helper.setPassword(data: Data([1]), forService: "item", accessibility: nil)
        #expect(keychain.items.map(\.accessibility) == [.afterFirstUnlockThisDeviceOnly])
    }

    @Test("Rejects an unknown accessibility and keeps the item", arguments: ["dk", "x"])
    func unknownAccessibility(constant: String) throws {
        let (store, keychain) = Self.store()
        try store.save(authSession: try Self.session())
        #expect(throws: KeychainStore.Error.unhandled(status: KeychainStatus.invalidParameter)) {
            try store.keychainHelper.setPassword("other", forService: "item", accessibility: constant as NSString)
        }
        #expect(throws: KeychainStore.Error.unhandled(status: KeychainStatus.invalidParameter)) {
            try store.keychainHelper.setPassword("other", forService: "item", accessibility: NSNumber(value: 1))
        }
        #expect(keychain.items.map(\.accessibility) == [.afterFirstUnlockThisDeviceOnly])
        #expect(try store.retrieveAuthSession().userID == "person")
    }

    /// The values of the keychain's accessibility constants.
    private static var accessibilities: [String: KeychainAccessibility] {
        [
            "ck": .afterFirstUnlock, "cku": .afterFirstUnlockThisDeviceOnly, "ak": .whenUnlocked,
            "aku": .whenUnlockedThisDeviceOnly, "akpu": .whenPasscodeSetThisDeviceOnly,
        ]
    }

    @Test("Loads, saves and removes sessions without blocking a task's thread")
    func asynchronous() async throws {
        let keychain = RecordingKeychain()
        let store = KeychainStore(
            itemName: "item",
            keychainHelper: PlatformKeychain(KeychainPasswords(keychain, []))
        )
        await #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "item")) {
            try await store.loadAuthSession()
        }
        try await store.storeAuthSession(try Self.session())
        try await store.storeAuthSession(try Self.session(), withItemName: "other")
        #expect(try await store.loadAuthSession().userID == "person")
        try await store.deleteAuthSession()
        #expect(keychain.items.map(\.item.service) == ["other"])
        #expect(try await store.loadAuthSession(withItemName: "other").userID == "person")
        await #expect(throws: KeychainStore.Error.failedToDeletePasswordBecauseItemNotFound(itemName: "item")) {
            try await store.deleteAuthSession()
        }
        #expect(!keychain.wasCalledByTask)
        _ = try store.retrieveAuthSession(withItemName: "other")
        #expect(keychain.wasCalledByTask)
    }

    @Test("Uses only the app's first access group if no group is named")
    func firstGroup() throws {
        let (theirs, keychain) = Self.store([.keychainAccessGroup(name: "TEAM.group")])
        try theirs.keychainHelper.setPassword("theirs", forService: "item")
        let ours = KeychainStore(
            itemName: "item",
            keychainHelper: PlatformKeychain(KeychainPasswords(keychain, []))
        )
        #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "item")) { try ours.retrieveAuthSession() }
        try ours.keychainHelper.setPassword("ours", forService: "item")
        try ours.keychainHelper.setPassword("ours, too", forService: "item")
        #expect(try theirs.keychainHelper.password(forService: "item") == "theirs")
        try ours.removeAuthSession()
        #expect(try theirs.keychainHelper.password(forService: "item") == "theirs")
        #expect(throws: KeychainStore.Error.failedToDeletePasswordBecauseItemNotFound(itemName: "item")) {
            try ours.removeAuthSession()
        }
        #expect(keychain.items.map(\.key.group) == ["TEAM.group"])
    }

    @Test("Removes the item if the password is empty")
    func empty() throws {
        let (store, keychain) = Self.store()
        try store.save(authSession: try Self.session())
        try store.keychainHelper.setPassword("", forService: "item")
        #expect(keychain.items.isEmpty)
    }

    @Test("Stores items in encrypted files per app or access group without a keychain")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tessera-items-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let items = SealedItems(
            directory: folder + "/items",
            keySource: .file(StoreKeyFile(directory: folder + "/keys"))
        )
        func store(_ program: String, _ attributes: Set<KeychainAttribute> = []) -> KeychainStore {
            let passwords = FilePasswords(items, attributes, program: program)
            return KeychainStore(itemName: "auth", keychainHelper: PlatformKeychain(passwords, attributes))
        }
        try store("one").save(authSession: try Self.session())
        #expect(try store("one").retrieveAuthSession().userID == "person")
        #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "auth")) {
            try store("other").retrieveAuthSession()
        }
        let group: Set<KeychainAttribute> = [.keychainAccessGroup(name: "shared")]
        try store("one", group).save(authSession: try Self.session())
        #expect(try store("other", group).retrieveAuthSession().userID == "person")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder + "/items") {
            let bytes = try Data(contentsOf: URL(filePath: folder + "/items/" + file))
            #expect(!Samples.secrets.contains { bytes.range(of: Data($0.utf8)) != nil })
            var damaged = bytes
            damaged[damaged.count - 1] ^= 1
            try damaged.write(to: URL(filePath: folder + "/items/" + file))
        }
        #expect(throws: StoreError.self) { try store("one").retrieveAuthSession() }
        try store("one").removeAuthSession()
        #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "auth")) {
            try store("one").retrieveAuthSession()
        }
    }
}
