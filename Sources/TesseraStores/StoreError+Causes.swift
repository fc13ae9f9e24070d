// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif
package import Tessera

extension StoreError {
    /// The error of a system call.
    package static func system(_ status: Int32, _ call: String, _ place: String) -> StoreError {
        if status == EACCES || status == EPERM, let denied = Self.denied(status, at: place) { return denied }
        if Self.isProtected(status, call, hasDataProtection: FileSystem.hasDataProtection) {
            return StoreError(
                .deviceLocked,
                place: place,
                status: status,
                detail: "\(call): the file is still protected"
            )
        }
        let code: Code =
            switch status {
            case EACCES, EPERM, EROFS: .permissionDenied
            case ENOSPC, EDQUOT: .full
            case ELOOP, ENOTDIR, ENOENT, EISDIR, ENAMETOOLONG, EOPNOTSUPP: .unavailable
            default: .system
            }
        return StoreError(code, place: place, status: status, detail: "\(call): \(String(cString: strerror(status)))")
    }

    /// Whether a call failed because the device has not been unlocked since it was started: the files of an app's container
    /// cannot be opened or created until then.
    static func isProtected(_ status: Int32, _ call: String, hasDataProtection: Bool) -> Bool {
        hasDataProtection && status == EPERM && call == "open"
    }
}
