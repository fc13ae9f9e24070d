// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
internal import TesseraStores

extension KeychainStore {
    /// An error that occurred during a keychain operation.
    ///
    /// The error codes are in ``KeychainStore/ErrorCode``.
    public enum Error: Swift.Error, Equatable, CustomNSError, LocalizedError {
        /// The keychain failed with a status, which `SecCopyErrorMessageString` describes.
        case unhandled(status: Int32)
        /// The item does not exist.
        case passwordNotFound(forItemName: String)
        /// The item name is empty.
        case noService
        /// The item is not text.
        case unexpectedPasswordData(forItemName: String)
        /// The session has no values that GTMOAuth2's format can contain.
        case failedToCreateResponseStringFromAuthSession(AuthSession)
        /// The redirect URI is not a URL.
        case failedToConvertRedirectURItoURL(String)
        /// The session could not be archived.
        case failedToConvertAuthSessionToData
        /// The item is not an archived session.
        case failedToConvertKeychainDataToAuthSession(itemName: String)
        /// The item could not be removed.
        case failedToDeletePassword(forItemName: String)
        /// The item to remove does not exist.
        case failedToDeletePasswordBecauseItemNotFound(itemName: String)
        /// The item could not be written.
        case failedToSetPassword(forItemName: String)

        /// The error domain, which is `GTMAppAuthKeychainErrorDomain`.
        public static let errorDomain = "GTMAppAuthKeychainErrorDomain"

        /// The raw value of the corresponding ``KeychainStore/ErrorCode``.
        public var errorCode: Int { self.code.rawValue }

        /// The user info, which contains the description and, if there is one, the value of `status`, `itemName`,
        /// `redirectURI` or `authSession`.
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

        /// A description of the error and how to recover from it.
        public var errorDescription: String? { self.text }
        /// Advice for the user or the developer.
        public var recoverySuggestion: String? { self.advice }
    }

    /// The error codes for ``KeychainStore/Error``.
    public enum ErrorCode: Int, Sendable {
        /// The keychain failed with a status.
        case unhandled
        /// The item does not exist.
        case passwordNotFound
        /// The item name is empty.
        case noService
        /// The item is not text.
        case unexpectedPasswordData
        /// The session has no values that GTMOAuth2's format can contain.
        case failedToCreateResponseStringFromAuthSession
        /// The redirect URI is not a URL.
        case failedToConvertRedirectURItoURL
        /// The session could not be archived.
        case failedToConvertAuthSessionToData
        /// The item is not an archived session.
        case failedToConvertKeychainDataToAuthSession
        /// The item could not be removed.
        case failedToDeletePassword
        /// The item to remove does not exist.
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

    /// The affected item's name.
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
        case .unhandled(status: KeychainStatus.interactionNotAllowed): "Try again after the device has been unlocked."
        case .unhandled: "Look up the status with SecCopyErrorMessageString."
        case .passwordNotFound, .failedToConvertKeychainDataToAuthSession, .unexpectedPasswordData: "Sign in again."
        case .noService: "Specify the name of the item."
        case .failedToCreateResponseStringFromAuthSession: "Save the session after the user has signed in."
        case .failedToConvertRedirectURItoURL: "Correct the redirect URI."
        case .failedToConvertAuthSessionToData, .failedToDeletePassword, .failedToSetPassword: "Try again."
        case .failedToDeletePasswordBecauseItemNotFound: "No action is necessary."
        }
    }

    var text: String {
        let item = self.itemName.map { "\"\($0)\"" } ?? ""
        return switch self {
        case .unhandled(status: KeychainStatus.interactionNotAllowed):
            "The keychain is locked (status -25308). Try again after the device has been unlocked."
        case .unhandled(let status): "The keychain operation failed with status \(status)."
        case .passwordNotFound: "Not signed in: there is no keychain item \(item). Sign in."
        case .noService: "The name of the keychain item is empty."
        case .unexpectedPasswordData: "The item \(item) is not text. It is damaged or belongs to another app."
        case .failedToCreateResponseStringFromAuthSession: "The session has no tokens to save."
        case .failedToConvertRedirectURItoURL: "The redirect URI is not a URL."
        case .failedToConvertAuthSessionToData: "The session could not be archived."
        case .failedToConvertKeychainDataToAuthSession: "The item \(item) cannot be decoded. Sign in again."
        case .failedToDeletePassword: "The item \(item) could not be removed."
        case .failedToDeletePasswordBecauseItemNotFound: "There is no item \(item) to remove."
        case .failedToSetPassword: "The item \(item) could not be written."
        }
    }
}
