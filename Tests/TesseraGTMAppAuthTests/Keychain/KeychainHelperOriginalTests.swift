// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraStores
internal import TesseraTesting
internal import Testing

@Suite("KeychainHelper and keychain errors, as in GTMAppAuth")
struct KeychainHelperOriginalTests {
    private static func helper(
        _ keychain: RecordingKeychain = RecordingKeychain(),
        _ attributes: Set<KeychainAttribute> = []
    ) -> PlatformKeychain {
        PlatformKeychain(KeychainPasswords(keychain, attributes), attributes)
    }

    @Test(
        "Queries generic passwords of the account OAuth in the data protection keychain",
        .original("GTMAppAuth KeychainStoreTests.testKeychainAttributeKeysHaveCorrectNames")
    )
    func query() {
        let query = Self.helper().keychainQuery(forService: "s")
        #expect(query["class"] as? String == "genp")
        #expect(query["acct"] as? String == "OAuth")
        #expect(query["svce"] as? String == "s")
        #expect(query["nleg"] as? Bool == true)
        #expect(query["agrp"] == nil)
        #expect(query.count == 4)
    }

    @Test(
        "Queries the file-based keychain where there is one",
        .original("GTMAppAuth KeychainStoreTests.testKeychainQueryHasFileBasedKeychainAttributeOnRead")
    )
    func fileBasedQuery() {
        let query = Self.helper(RecordingKeychain(), [.useFileBasedKeychain]).keychainQuery(forService: "s")
        #expect(query["nleg"] as? Bool == !KeychainLocation.hasFileBasedKeychain)
        #expect(query["agrp"] == nil)
    }

    @Test(
        "Queries the access group",
        .original("GTMAppAuth KeychainStoreTests.testKeychainQueryHasAccessGroupAttributeOnRead")
    )
    func groupQuery() {
        let attributes: Set = [KeychainAttribute.keychainAccessGroup(name: "testGroup")]
        let query = Self.helper(RecordingKeychain(), attributes).keychainQuery(forService: "s")
        #expect(query["agrp"] as? String == "testGroup")
        #expect(query["nleg"] as? Bool == true)
    }

    @Test("Queries with both attributes", .original("GTMAppAuth KeychainHelper.keychainQuery(forService:)"))
    func queryWithBoth() {
        let attributes: Set = [KeychainAttribute.useFileBasedKeychain, .keychainAccessGroup(name: "testGroup")]
        let query = Self.helper(RecordingKeychain(), attributes).keychainQuery(forService: "s")
        #expect(query["agrp"] as? String == "testGroup")
        #expect(query["nleg"] as? Bool == !KeychainLocation.hasFileBasedKeychain)
    }

    @Test(
        "Saves, reads and removes in the keychain that the attributes select",
        .original("GTMAppAuth KeychainStoreTests.testKeychainQueryHasFileBasedKeychainAttributeOnSave"),
        arguments: [[], [.useFileBasedKeychain], [.keychainAccessGroup(name: "TEAM.group")]] as [Set<KeychainAttribute>]
    )
    func location(attributes: Set<KeychainAttribute>) throws {
        let keychain = RecordingKeychain()
        let helper = Self.helper(keychain, attributes)
        try helper.setPassword("secret", forService: "s")
        let key = try #require(keychain.items.first?.key)
        let isFileBased = attributes.contains(.useFileBasedKeychain) && KeychainLocation.hasFileBasedKeychain
        #expect(key.usesDataProtection == !isFileBased)
        #expect((key.group == "TEAM.group") == attributes.contains(.keychainAccessGroup(name: "TEAM.group")))
        #expect(try helper.password(forService: "s") == "secret")
        try helper.removePassword(forService: "s")
        #expect(keychain.items.isEmpty)
    }

    @Test("Has the keychain's names for the attributes", .original("GTMAppAuth KeychainAttribute.Attribute.keyName"))
    func keyNames() {
        #expect(KeychainAttribute.useFileBasedKeychain.attribute.keyName == "nleg")
        #expect(KeychainAttribute.keychainAccessGroup(name: "testGroup").attribute.keyName == "agrp")
    }

    @Test("Compares attributes by value, unlike GTMAppAuth", .original("GTMAppAuth KeychainAttribute"))
    func equalAttributes() {
        let one = KeychainAttribute.keychainAccessGroup(name: "a")
        let same = KeychainAttribute.keychainAccessGroup(name: "a")
        #expect(Set([one, same]).count == 1)
        #expect(Set([one, .keychainAccessGroup(name: "b"), .useFileBasedKeychain]).count == 3)
    }

    @Test(
        "Removes the item instead of storing empty data",
        .original("GTMAppAuth KeychainHelper.setPassword(data:forService:accessibility:)")
    )
    func emptyData() throws {
        let keychain = RecordingKeychain()
        let helper = Self.helper(keychain)
        try helper.setPassword("secret", forService: "s")
        try helper.setPassword(data: Data(), forService: "s", accessibility: nil)
        #expect(keychain.items.isEmpty)
        try helper.setPassword(data: Data(), forService: "s", accessibility: nil)
        #expect(keychain.items.isEmpty)
    }

    @Test(
        "Stores a text without an accessibility for this device after its first unlock, unlike GTMAppAuth",
        .original("GTMAppAuth KeychainHelper.setPassword(_:forService:)")
    )
    func defaultAccessibility() throws {
        let keychain = RecordingKeychain()
        try Self.helper(keychain).setPassword("secret", forService: "s")
        #expect(keychain.items.map(\.accessibility) == [.afterFirstUnlockThisDeviceOnly])
    }

    @Test(
        "Updates an item in place, unlike GTMAppAuth",
        .original("GTMAppAuth KeychainHelper.setPassword(data:forService:accessibility:)")
    )
    func update() throws {
        let keychain = RecordingKeychain()
        let helper = Self.helper(keychain)
        try helper.setPassword("first", forService: "s")
        let count = keychain.keychain.calls.count
        try helper.setPassword("second", forService: "s")
        let calls = keychain.keychain.calls.dropFirst(count)
        #expect(calls.contains("update"))
        #expect(!calls.contains("remove"))
        #expect(!calls.contains("add"))
        #expect(try helper.password(forService: "s") == "second")
    }

    @Test(
        "Reports the status of a failure, unlike GTMAppAuth when it saves or removes",
        .original("GTMAppAuth KeychainHelper.removePassword(forService:)"),
        arguments: [("add", Int32(-34018)), ("update", -25308), ("remove", -25308), ("items", -25308)]
    )
    func failures(call: String, status: Int32) throws {
        let keychain = RecordingKeychain()
        let helper = Self.helper(keychain)
        if call != "add" { try helper.setPassword("secret", forService: "s") }
        keychain.keychain.fail(call, status)
        let error = #expect(throws: KeychainStore.Error.self) {
            switch call {
            case "remove": try helper.removePassword(forService: "s")
            case "items": _ = try helper.passwordData(forService: "s")
            default: try helper.setPassword("secret", forService: "s")
            }
        }
        #expect(error == .unhandled(status: status))
        let old = try #require(error) as NSError
        #expect(old.domain == "GTMAppAuthKeychainErrorDomain")
        #expect(old.code == 0)
        #expect(old.userInfo["status"] as? Int32 == status)
    }

    @Test(
        "Reports an item that is not text",
        .original("GTMAppAuth KeychainHelper.password(forService:)")
    )
    func notText() throws {
        let helper = Self.helper()
        try helper.setPassword(data: Data([0xFF]), forService: "s", accessibility: nil)
        #expect(throws: KeychainStore.Error.unexpectedPasswordData(forItemName: "s")) {
            try helper.password(forService: "s")
        }
        #expect(try helper.passwordData(forService: "s") == Data([0xFF]))
    }

    @Test("Has GTMAppAuth's error codes and domain", .original("GTMAppAuth KeychainStore.ErrorCode"))
    func codes() throws {
        let errors: [KeychainStore.Error] = [
            .unhandled(status: -1), .passwordNotFound(forItemName: "s"), .noService,
            .unexpectedPasswordData(forItemName: "s"),
            .failedToCreateResponseStringFromAuthSession(try SessionSamples.session()),
            .failedToConvertRedirectURItoURL("u"), .failedToConvertAuthSessionToData,
            .failedToConvertKeychainDataToAuthSession(itemName: "s"), .failedToDeletePassword(forItemName: "s"),
            .failedToDeletePasswordBecauseItemNotFound(itemName: "s"), .failedToSetPassword(forItemName: "s"),
        ]
        #expect(errors.map(\.errorCode) == Array(0...10))
        #expect(KeychainStore.Error.errorDomain == "GTMAppAuthKeychainErrorDomain")
    }

    @Test(
        "Has GTMAppAuth's values and a description in the user info",
        .original("GTMAppAuth KeychainStore.Error.errorUserInfo")
    )
    func userInfo() throws {
        let session = try SessionSamples.session()
        let expected: [(KeychainStore.Error, String?)] = [
            (.unhandled(status: -1), "status"), (.passwordNotFound(forItemName: "s"), "itemName"), (.noService, nil),
            (.failedToCreateResponseStringFromAuthSession(session), "authSession"),
            (.failedToConvertRedirectURItoURL("u"), "redirectURI"), (.failedToConvertAuthSessionToData, nil),
            (.failedToSetPassword(forItemName: "s"), "itemName"),
        ]
        for (error, key) in expected {
            #expect(Set(error.errorUserInfo.keys) == Set([NSLocalizedDescriptionKey, key].compactMap(\.self)))
        }
        #expect(KeychainStore.Error.passwordNotFound(forItemName: "s").errorUserInfo["itemName"] as? String == "s")
        #expect(KeychainStore.Error.failedToConvertRedirectURItoURL("u").errorUserInfo["redirectURI"] as? String == "u")
        let failed = KeychainStore.Error.failedToCreateResponseStringFromAuthSession(session)
        #expect(failed.errorUserInfo["authSession"] as? AuthSession === session)
    }

    @Test(
        "Finds only items of the app's first access group, unlike GTMAppAuth",
        .original("GTMAppAuth KeychainHelper.passwordData(forService:)")
    )
    func firstGroup() throws {
        let keychain = RecordingKeychain()
        let other = Self.helper(keychain, [.keychainAccessGroup(name: "TEAM.group")])
        try other.setPassword("other", forService: "s")
        let helper = Self.helper(keychain)
        #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "s")) { try helper.password(forService: "s") }
        #expect(throws: KeychainStore.Error.failedToDeletePasswordBecauseItemNotFound(itemName: "s")) {
            try helper.removePassword(forService: "s")
        }
        #expect(try other.password(forService: "s") == "other")
    }

    @Test(
        "Rejects the deprecated accessibility that is always readable, unlike GTMAppAuth",
        .original("GTMAppAuth KeychainHelper.setPassword(_:forService:accessibility:)")
    )
    func deprecatedAccessibility() throws {
        let keychain = RecordingKeychain()
        #expect(throws: KeychainStore.Error.unhandled(status: -50)) {
            try Self.helper(keychain)
                .setPassword("secret", forService: "s", accessibility: NSString(string: "dk"))
        }
        #expect(keychain.items.isEmpty)
    }

    @Test("Has the account OAuth", .original("GTMAppAuth KeychainHelper.accountName"))
    func account() {
        #expect(Self.helper().accountName == "OAuth")
        #expect(AppKeychainHelper(keychainAttributes: []).accountName == "OAuth")
    }
}
