// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraStores
internal import TesseraSupport

/// Saves an ``AuthSession`` as a keychain item that is compatible with GTMAppAuth.
///
/// On platforms without a keychain, the item is a file that belongs to this user and app. Its encryption protects a
/// copy of the file that is made without the key. Errors are ``KeychainStore/Error`` or, on platforms without a
/// keychain, `StoreError`.
///
/// GTMAppAuth's methods block the calling thread while they access the keychain. On the main thread and in asynchronous
/// code, use ``loadAuthSession(withItemName:)``, ``storeAuthSession(_:withItemName:)`` and
/// ``deleteAuthSession(withItemName:)``, or the corresponding methods for GTMOAuth2's format. Without
/// ``KeychainAttribute/keychainAccessGroup(name:)``, a store accesses only items in the app's first access group.
///
/// On a device that has not been unlocked since it started, every method throws `unhandled` with the status
/// `errSecInteractionNotAllowed` (-25308), even if a session is stored. A session that cannot be decoded also causes an
/// error. It remains in the keychain until it is removed.
///
/// On macOS, the data protection keychain requires an app that is signed with a keychain access group (the
/// `keychain-access-groups` entitlement or an App ID). In any other app, methods throw `unhandled` with the status
/// -34018. Such an app can use ``KeychainAttribute/useFileBasedKeychain``.
///
/// - SeeAlso: [Sharing access to keychain items](https://developer.apple.com/documentation/security/sharing-access-to-keychain-items-among-a-collection-of-apps)
public final class KeychainStore: NSObject, AuthSessionStore, Sendable {
    private struct State {
        var itemName: String
        var attributes: Set<KeychainAttribute>
    }

    /// The helper that reads and writes the items.
    public let keychainHelper: any KeychainHelper
    private let state: Mutex<State>

    /// Creates a store for an item.
    ///
    /// - Parameters:
    ///   - itemName: The item's service name.
    ///   - keychainAttributes: The attributes that determine the keychain.
    public convenience init(itemName: String, keychainAttributes: Set<KeychainAttribute> = []) {
        self.init(
            itemName: itemName,
            keychainAttributes: keychainAttributes,
            keychainHelper: PlatformKeychain(keychainAttributes: keychainAttributes)
        )
    }

    /// Creates a store for an item with a custom helper, using the helper's attributes.
    public convenience init(itemName: String, keychainHelper: any KeychainHelper) {
        self.init(
            itemName: itemName,
            keychainAttributes: keychainHelper.keychainAttributes,
            keychainHelper: keychainHelper
        )
    }

    /// Creates a store for an item with a custom helper.
    public init(
        itemName: String,
        keychainAttributes: Set<KeychainAttribute>,
        keychainHelper: any KeychainHelper
    ) {
        self.state = Mutex(State(itemName: itemName, attributes: keychainAttributes))
        self.keychainHelper = keychainHelper
        super.init()
    }

    /// The item's service name.
    public var itemName: String {
        get { self.state.withLock { $0.itemName } }
        set { self.state.withLock { $0.itemName = newValue } }
    }

    /// The attributes that determine the keychain.
    ///
    /// Changing this property has no effect on the helper, which uses the attributes from the initializer.
    public var keychainAttributes: Set<KeychainAttribute> {
        get { self.state.withLock { $0.attributes } }
        set { self.state.withLock { $0.attributes = newValue } }
    }

    /// Saves a session, replacing the stored one.
    public func save(authSession: AuthSession) throws {
        try self.save(authSession: authSession, withItemName: self.itemName)
    }

    /// Saves a session under the given item name, replacing the stored one.
    public func save(authSession: AuthSession, withItemName itemName: String) throws {
        let data: Data
        do {
            data = try AppAuthArchive.archive(authSession)
        } catch {
            throw Error.failedToConvertAuthSessionToData
        }
        try self.keychainHelper.setPassword(data: data, forService: itemName, accessibility: self.accessibility)
    }

    /// The accessibility of the store's items, which is nil in the file-based keychain.
    ///
    /// A custom helper that was written for GTMAppAuth passes it to the keychain.
    var accessibility: NSString? {
        guard self.keychainAttributes.location.usesDataProtection else { return nil }
        return NSString(string: KeychainNames.afterFirstUnlockThisDeviceOnly)
    }

    /// Removes the stored session.
    ///
    /// - Throws: `failedToDeletePasswordBecauseItemNotFound` if no session is stored.
    public func removeAuthSession() throws { try self.removeAuthSession(withItemName: self.itemName) }

    /// Removes the session that is stored under the given item name.
    public func removeAuthSession(withItemName itemName: String) throws {
        try self.keychainHelper.removePassword(forService: itemName)
    }

    /// Loads the stored session.
    ///
    /// - Throws: `passwordNotFound` if no session is stored, or `failedToConvertKeychainDataToAuthSession` if it cannot
    ///   be decoded.
    public func retrieveAuthSession() throws -> AuthSession {
        try self.retrieveAuthSession(withItemName: self.itemName)
    }

    /// Loads the session that is stored under the given item name.
    public func retrieveAuthSession(withItemName itemName: String) throws -> AuthSession {
        let data = try self.keychainHelper.passwordData(forService: itemName)
        do {
            return try AppAuthArchive.unarchive(AuthSession.self, from: data)
        } catch {
            throw Error.failedToConvertKeychainDataToAuthSession(itemName: itemName)
        }
    }
}

/// GTMAppAuth's former name for ``KeychainStore``.
public typealias GTMKeychainStore = KeychainStore

/// Saves an ``AuthSession`` between launches of the app.
public protocol AuthSessionStore: AnyObject {
    /// Saves a session, replacing the stored one.
    func save(authSession: AuthSession) throws

    /// Removes the stored session.
    ///
    /// Throws an error if no session is stored.
    func removeAuthSession() throws

    /// Loads the stored session.
    ///
    /// Throws an error if no session is stored.
    func retrieveAuthSession() throws -> AuthSession
}

/// GTMAppAuth's former name for ``AuthSessionStore``.
public typealias GTMAuthSessionStore = AuthSessionStore
