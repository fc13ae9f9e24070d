// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

extension KeychainStore {
    /// What went wrong with an item; the numbers are ``KeychainStore/ErrorCode``.
    public enum Error: Swift.Error, Equatable, CustomNSError, LocalizedError {
        /// The keychain said no with this status, see `SecCopyErrorMessageString`.
        case unhandled(status: Int32)
        /// There is no such item.
        case passwordNotFound(forItemName: String)
        /// An item has to have a name.
        case noService
        /// The item is no text.
        case unexpectedPasswordData(forItemName: String)
        /// The session has nothing that the format of GTMOAuth2 could hold.
        case failedToCreateResponseStringFromAuthSession(AuthSession)
        /// The redirect URI is no URL.
        case failedToConvertRedirectURItoURL(String)
        /// The session could not be archived.
        case failedToConvertAuthSessionToData
        /// The item is no archive of a session.
        case failedToConvertKeychainDataToAuthSession(itemName: String)
        /// The item could not be removed.
        case failedToDeletePassword(forItemName: String)
        /// There was no item to remove.
        case failedToDeletePasswordBecauseItemNotFound(itemName: String)
        /// The item could not be written.
        case failedToSetPassword(forItemName: String)

        /// `GTMAppAuthKeychainErrorDomain`.
        public static let errorDomain = "GTMAppAuthKeychainErrorDomain"

        /// The code, as in ``KeychainStore/ErrorCode``.
        public var errorCode: Int { self.code.rawValue }

        /// `status`, `itemName`, `redirectURI` or `authSession`, where there is one, and the description.
        public var errorUserInfo: [String: Any] {
            var userInfo: [String: Any] = [NSLocalizedDescriptionKey: self.text]
            switch self {
            case .unhandled(let status): userInfo["status"] = status
            case .failedToCreateResponseStringFromAuthSession(let session): userInfo["authSession"] = session
            case .failedToConvertRedirectURItoURL(let text): userInfo["redirectURI"] = text
            default: userInfo["itemName"] = self.itemName
            }
            return userInfo
        }

        /// What happened and what to do, in one line.
        public var errorDescription: String? { self.text }
        /// An instruction for the user or the developer.
        public var recoverySuggestion: String? { self.advice }
    }

    /// The numbers of ``KeychainStore/Error``.
    public enum ErrorCode: Int, Sendable {
        /// The keychain said no.
        case unhandled
        /// There is no such item.
        case passwordNotFound
        /// An item has to have a name.
        case noService
        /// The item is no text.
        case unexpectedPasswordData
        /// The session has nothing that the format of GTMOAuth2 could hold.
        case failedToCreateResponseStringFromAuthSession
        /// The redirect URI is no URL.
        case failedToConvertRedirectURItoURL
        /// The session could not be archived.
        case failedToConvertAuthSessionToData
        /// The item is no archive of a session.
        case failedToConvertKeychainDataToAuthSession
        /// The item could not be removed.
        case failedToDeletePassword
        /// There was no item to remove.
        case failedToDeletePasswordBecauseItemNotFound
        /// The item could not be written.
        case failedToSetPassword
    }
}
