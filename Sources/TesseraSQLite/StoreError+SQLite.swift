// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import GRDB
internal import Tessera

extension StoreError {
    /// SQLite's error; it names statements, never the values in them.
    init(_ error: DatabaseError, place: String) {
        let code: Code =
            switch error.resultCode {
            case .SQLITE_FULL: .full
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: .permissionDenied
            case .SQLITE_CANTOPEN: .unavailable
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt
            default: .system
            }
        self.init(
            code,
            place: place,
            status: error.extendedResultCode.rawValue,
            detail: "SQLite: \(error.message ?? "\(error.extendedResultCode)")"
        )
    }
}
#endif
