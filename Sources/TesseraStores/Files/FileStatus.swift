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
internal import Tessera

/// What the system says about a file: as much of it as a store asks for.
struct FileStatus: Sendable {
    let isRegular: Bool
    let isDirectory: Bool
    let size: Int64
    /// The number of the user whose file it is.
    let owner: UInt32
    /// The twelve permission bits.
    let permissions: UInt32

    init(_ status: stat) {
        self.isRegular = status.st_mode & S_IFMT == S_IFREG
        self.isDirectory = status.st_mode & S_IFMT == S_IFDIR
        self.size = Int64(status.st_size)
        self.owner = UInt32(status.st_uid)
        self.permissions = UInt32(status.st_mode) & 0o7777
    }

    /// Whether it is this process's user's.
    var isOwn: Bool { self.owner == UInt32(geteuid()) }

    /// Checks that it is this user's: another user may have put it there for us to trust.
    ///
    /// - Throws: `otherOwner`.
    func checkOwner(of path: String, allowingRoot: Bool = false) throws(StoreError) {
        guard self.isOwn || allowingRoot && self.owner == 0 else { throw .otherOwner(self.owner, of: path) }
    }

    /// The permissions as `chmod` reads them: `0644`.
    var modeText: String { "0" + String(self.permissions, radix: 8) }
}
