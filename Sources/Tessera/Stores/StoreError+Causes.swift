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

extension StoreError {
    /// The error of a system call.
    package static func system(_ status: Int32, _ call: String, _ place: String) -> StoreError {
        let code: Code =
            switch status {
            case EACCES, EPERM, EROFS: .permissionDenied
            case ENOSPC, EDQUOT: .full
            case ELOOP, ENOTDIR, ENOENT, EISDIR, ENAMETOOLONG, EOPNOTSUPP: .unavailable
            default: .system
            }
        return StoreError(code, place: place, status: status, detail: "\(call): \(String(cString: strerror(status)))")
    }

    /// A record was handed to the entry of another account.
    package static func foreignRecord(place: String) -> StoreError {
        StoreError(.system, place: place, detail: "the record belongs to another account than the entry")
    }
}
