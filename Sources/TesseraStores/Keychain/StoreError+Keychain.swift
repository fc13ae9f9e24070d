// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera

extension StoreError {
    /// The error of a call to the keychain; the status is always kept.
    ///
    /// - SeeAlso: [Security framework result codes](https://developer.apple.com/documentation/security/security-framework-result-codes)
    package static func keychain(
        _ status: Int32,
        _ call: String,
        _ place: String,
        message: String?,
        usesDataProtection: Bool
    ) -> StoreError {
        let words = ["\(call): \(message ?? "status \(status)")", Self.advice(status)].compactMap { $0 }
        let code = Self.code(status, usesDataProtection: usesDataProtection)
        return StoreError(code, place: place, status: status, detail: words.joined(separator: "; "))
    }

    private static func code(_ status: Int32, usesDataProtection: Bool) -> Code {
        switch status {
        case KeychainStatus.interactionNotAllowed where usesDataProtection: .deviceLocked
        case KeychainStatus.interactionNotAllowed, KeychainStatus.userCanceled, KeychainStatus.noSuchKeychain: .locked
        case KeychainStatus.authenticationFailed, KeychainStatus.writePermission: .permissionDenied
        case KeychainStatus.missingEntitlement, KeychainStatus.notAvailable, KeychainStatus.unimplemented: .unavailable
        case KeychainStatus.diskFull: .full
        case KeychainStatus.decode: .corrupt
        default: .system
        }
    }

    private static func advice(_ status: Int32) -> String? {
        switch status {
        case KeychainStatus.missingEntitlement:
            "the program is not signed with a keychain access group; sign it, or choose the file-based keychain on macOS"
        default:
            nil
        }
    }
}

/// The statuses that mean something to a store, as `SecBase.h` and `MacErrors.h` number them.
package enum KeychainStatus {
    package static let success: Int32 = 0
    package static let duplicateItem: Int32 = -25299
    package static let itemNotFound: Int32 = -25300
    package static let interactionNotAllowed: Int32 = -25308
    package static let authenticationFailed: Int32 = -25293
    package static let notAvailable: Int32 = -25291
    package static let noSuchKeychain: Int32 = -25294
    package static let missingEntitlement: Int32 = -34018
    package static let userCanceled: Int32 = -128
    package static let unimplemented: Int32 = -4
    package static let invalidParameter: Int32 = -50
    package static let diskFull: Int32 = -34
    package static let writePermission: Int32 = -61
    package static let decode: Int32 = -26275
}
