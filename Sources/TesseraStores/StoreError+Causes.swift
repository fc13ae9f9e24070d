// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera
package import TesseraSupport

extension StoreError {
    /// Calls the system for a store.
    ///
    /// - Throws: The store's error for the system's.
    @discardableResult
    package static func mapping<Value: ~Copyable>(
        _ call: @autoclosure () throws(SystemError) -> Value
    ) throws -> Value {
        do { return try call() } catch { throw StoreError(error) }
    }

    package init(_ error: SystemError) {
        let isProtected = Self.isProtected(error, hasDataProtection: FileSystem.hasDataProtection)
        self.init(
            isProtected ? .deviceLocked : Self.code(of: error),
            place: error.path,
            status: error.status,
            detail: isProtected ? "\(error.call ?? ""): the file is still protected" : error.detail
        )
    }

    private static func code(of error: SystemError) -> Code {
        switch error.reason {
        case .owner: return .otherOwner
        case .permissions: return .permissionDenied
        case .notRegular: return .unavailable
        case .tooLong: return .corrupt
        case .call: break
        }
        switch error.status {
        case EACCES, EPERM, EROFS: return .permissionDenied
        case ENOSPC, EDQUOT: return .full
        case ELOOP, ENOTDIR, ENOENT, EISDIR, ENAMETOOLONG, EOPNOTSUPP: return .unavailable
        default: return .system
        }
    }

    /// Whether a call failed because the device has not been unlocked since it was started: the files of an app's container
    /// cannot be opened or created until then.
    static func isProtected(_ error: SystemError, hasDataProtection: Bool) -> Bool {
        hasDataProtection && error.reason == .call && error.status == EPERM && error.call == "open"
    }
}
