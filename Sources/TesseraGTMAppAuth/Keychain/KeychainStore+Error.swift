// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
internal import TesseraStores

extension KeychainStore {
    /// What went wrong with an item; the numbers are ``KeychainStore/ErrorCode``.
    public enum Error: Swift.Error, Equatable, CustomNSError, LocalizedError {
        /// The keychain failed with this status, see `SecCopyErrorMessageString`.
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
        /// The keychain failed.
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

extension KeychainStore.Error {
    var code: KeychainStore.ErrorCode {
        switch self {
        case .unhandled: .unhandled
        case .passwordNotFound: .passwordNotFound
        case .noService: .noService
        case .unexpectedPasswordData: .unexpectedPasswordData
        case .failedToCreateResponseStringFromAuthSession: .failedToCreateResponseStringFromAuthSession
        case .failedToConvertRedirectURItoURL: .failedToConvertRedirectURItoURL
        case .failedToConvertAuthSessionToData: .failedToConvertAuthSessionToData
        case .failedToConvertKeychainDataToAuthSession: .failedToConvertKeychainDataToAuthSession
        case .failedToDeletePassword: .failedToDeletePassword
        case .failedToDeletePasswordBecauseItemNotFound: .failedToDeletePasswordBecauseItemNotFound
        case .failedToSetPassword: .failedToSetPassword
        }
    }

    /// The item that it is about.
    var itemName: String? {
        switch self {
        case .passwordNotFound(let name), .unexpectedPasswordData(let name),
            .failedToConvertKeychainDataToAuthSession(let name), .failedToDeletePassword(let name),
            .failedToDeletePasswordBecauseItemNotFound(let name), .failedToSetPassword(let name):
            name
        default: nil
        }
    }

    var advice: String {
        switch self {
        case .unhandled(status: KeychainStatus.interactionNotAllowed): "Try again when the device has been unlocked."
        case .unhandled: "Look up the status with SecCopyErrorMessageString."
        case .passwordNotFound, .failedToConvertKeychainDataToAuthSession, .unexpectedPasswordData: "Sign in again."
        case .noService: "Name the item."
        case .failedToCreateResponseStringFromAuthSession: "Save the session after its sign-in."
        case .failedToConvertRedirectURItoURL: "Correct the redirect URI."
        case .failedToConvertAuthSessionToData, .failedToDeletePassword, .failedToSetPassword: "Try again."
        case .failedToDeletePasswordBecauseItemNotFound: "Nothing needs to be done."
        }
    }

    var text: String {
        let item = self.itemName.map { "\"\($0)\"" } ?? ""
        return switch self {
        case .unhandled(status: KeychainStatus.interactionNotAllowed):
            "The keychain is locked, with status -25308. Try again when the device has been unlocked."
        case .unhandled(let status): "The keychain failed with status \(status)."
        case .passwordNotFound: "There is no item \(item): nobody is signed in. Sign in."
        case .noService: "An item needs a name."
        case .unexpectedPasswordData: "The item \(item) is no text: another program's, or damaged."
        case .failedToCreateResponseStringFromAuthSession: "The session has no tokens that could be kept."
        case .failedToConvertRedirectURItoURL: "The redirect URI is no URL."
        case .failedToConvertAuthSessionToData: "The session could not be archived."
        case .failedToConvertKeychainDataToAuthSession: "The item \(item) cannot be decoded. Sign in again."
        case .failedToDeletePassword: "The item \(item) could not be removed."
        case .failedToDeletePasswordBecauseItemNotFound: "There is no item \(item) to remove."
        case .failedToSetPassword: "The item \(item) could not be written."
        }
    }
}
