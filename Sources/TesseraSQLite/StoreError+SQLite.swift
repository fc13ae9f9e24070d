// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import GRDB
internal import Tessera
internal import TesseraStores
internal import TesseraSupport

extension StoreError {
    /// SQLite's error; it names statements, never the values in them.
    ///
    /// - Parameters:
    ///   - error: SQLite's own.
    ///   - status: the system's number for what failed, 0 where SQLite knows none.
    ///   - place: the database.
    init(_ error: DatabaseError, status: Int32, place: String) {
        let words = "SQLite: \(error.message ?? "\(error.extendedResultCode)")"
        switch error.resultCode {
        // SQLite gives it the same meaning and no number of the system's.
        case .SQLITE_FULL: self.init(SystemError(ENOSPC, words, place))
        case .SQLITE_IOERR where status != 0, .SQLITE_CANTOPEN where status != 0:
            self.init(SystemError(status, words, place))
        default:
            let code: Code =
                switch error.resultCode {
                case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
                case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: .permissionDenied
                case .SQLITE_CANTOPEN: .unavailable
                case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt
                default: .system
                }
            self.init(code, place: place, status: error.extendedResultCode.rawValue, detail: words)
        }
    }
}
#endif
