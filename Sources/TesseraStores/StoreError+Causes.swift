// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera
package import TesseraSupport

extension StoreError {
    /// Runs a file system call and converts its error to a store error.
    ///
    /// - Throws: The `StoreError` that corresponds to the `SystemError`.
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
            location: error.path,
            status: error.status,
            detail: isProtected ? "\(error.call ?? ""): the file is protected until the first unlock" : error.detail
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

    /// Whether a call failed because the device has not been unlocked since it started.
    ///
    /// Files in an app's container cannot be opened or created until the first unlock.
    static func isProtected(_ error: SystemError, hasDataProtection: Bool) -> Bool {
        hasDataProtection && error.reason == .call && error.status == EPERM && error.call == "open"
    }
}
