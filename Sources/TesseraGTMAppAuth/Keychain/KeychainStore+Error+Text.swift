// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraStores

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
