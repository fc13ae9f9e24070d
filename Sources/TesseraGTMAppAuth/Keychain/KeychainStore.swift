// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraSupport

/// Keeps an ``AuthSession`` as an item of the keychain, as GTMAppAuth does: each reads what the other has written.
///
/// On systems without a keychain the item is an encrypted file of this user and program, which protects a copy of it that
/// comes without the key. Errors are ``KeychainStore/Error``; without a keychain also `StoreError`.
///
/// The calls with GTMAppAuth's names block their thread while the keychain does. Asynchronous code and the main thread
/// use ``loadAuthSession(withItemName:)``, ``storeAuthSession(_:withItemName:)`` and ``deleteAuthSession(withItemName:)``,
/// and their siblings for GTMOAuth2's format. Without ``KeychainAttribute/keychainAccessGroup(name:)`` a store reads, writes
/// and removes items of the program's first group alone.
///
/// On a device that has not been unlocked since it was started, every call fails with `unhandled` and
/// `errSecInteractionNotAllowed` (-25308): a session may well be stored. A session that cannot be decoded is an error, too,
/// and stays in the keychain until it is removed.
///
/// On macOS the data-protection keychain wants a program that is signed with a keychain access group (the entitlement
/// `keychain-access-groups`, or an App ID); one without gets `unhandled` with -34018, and may take
/// ``KeychainAttribute/useFileBasedKeychain``.
///
/// - SeeAlso: [Sharing access to keychain items](https://developer.apple.com/documentation/security/sharing-access-to-keychain-items-among-a-collection-of-apps)
public final class KeychainStore: NSObject, AuthSessionStore, Sendable {
    private struct State {
        var itemName: String
        var attributes: Set<KeychainAttribute>
    }

    /// What reads and writes the items.
    public let keychainHelper: any KeychainHelper
    private let state: Mutex<State>

    /// A store of one item.
    ///
    /// - Parameters:
    ///   - itemName: the item's service.
    ///   - keychainAttributes: where the item is.
    public convenience init(itemName: String, keychainAttributes: Set<KeychainAttribute> = []) {
        self.init(
            itemName: itemName,
            keychainAttributes: keychainAttributes,
            keychainHelper: PlatformKeychain(keychainAttributes: keychainAttributes)
        )
    }

    /// A store of one item, behind a door of the program's, at the places that it knows.
    public convenience init(itemName: String, keychainHelper: any KeychainHelper) {
        self.init(
            itemName: itemName,
            keychainAttributes: keychainHelper.keychainAttributes,
            keychainHelper: keychainHelper
        )
    }

    /// A store of one item, behind a door of the program's.
    public init(
        itemName: String,
        keychainAttributes: Set<KeychainAttribute>,
        keychainHelper: any KeychainHelper
    ) {
        self.state = Mutex(State(itemName: itemName, attributes: keychainAttributes))
        self.keychainHelper = keychainHelper
        super.init()
    }

    /// The item's service.
    public var itemName: String {
        get { self.state.withLock { $0.itemName } }
        set { self.state.withLock { $0.itemName = newValue } }
    }

    /// Where the item was said to be.
    ///
    /// The door was made with what the initializer was given: setting this does not move it.
    public var keychainAttributes: Set<KeychainAttribute> {
        get { self.state.withLock { $0.attributes } }
        set { self.state.withLock { $0.attributes = newValue } }
    }

    /// Puts a session in place of the one that is kept.
    public func save(authSession: AuthSession) throws {
        try self.save(authSession: authSession, withItemName: self.itemName)
    }

    /// The same under another name.
    public func save(authSession: AuthSession, withItemName itemName: String) throws {
        let data: Data
        do {
            data = try AppAuthArchive.archive(authSession)
        } catch {
            throw Error.failedToConvertAuthSessionToData
        }
        try self.keychainHelper.setPassword(data: data, forService: itemName, accessibility: nil)
    }

    /// Removes the session that is kept.
    ///
    /// - Throws: `failedToDeletePasswordBecauseItemNotFound` where there is none.
    public func removeAuthSession() throws { try self.removeAuthSession(withItemName: self.itemName) }

    /// The same under another name.
    public func removeAuthSession(withItemName itemName: String) throws {
        try self.keychainHelper.removePassword(forService: itemName)
    }

    /// The session that is kept.
    ///
    /// - Throws: `passwordNotFound` where there is none; `failedToConvertKeychainDataToAuthSession` for what is none.
    public func retrieveAuthSession() throws -> AuthSession {
        try self.retrieveAuthSession(withItemName: self.itemName)
    }

    /// The same under another name.
    public func retrieveAuthSession(withItemName itemName: String) throws -> AuthSession {
        let data = try self.keychainHelper.passwordData(forService: itemName)
        do {
            return try AppAuthArchive.unarchive(AuthSession.self, from: data)
        } catch {
            throw Error.failedToConvertKeychainDataToAuthSession(itemName: itemName)
        }
    }
}

/// The older name of ``KeychainStore``.
public typealias GTMKeychainStore = KeychainStore

/// Keeps an ``AuthSession`` for the program's next run.
public protocol AuthSessionStore: AnyObject {
    /// Puts a session in place of the one that is kept.
    func save(authSession: AuthSession) throws

    /// Removes the session that is kept; throws where there is none.
    func removeAuthSession() throws

    /// The session that is kept; throws where there is none.
    func retrieveAuthSession() throws -> AuthSession
}

/// The older name of ``AuthSessionStore``.
public typealias GTMAuthSessionStore = AuthSessionStore
