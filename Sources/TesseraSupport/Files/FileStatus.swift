// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What the system says about a file.
package struct FileStatus: Sendable {
    package let isRegular: Bool
    package let isDirectory: Bool
    package let size: Int64
    /// The number of the user whose file it is.
    package let owner: UInt32
    /// The twelve permission bits.
    package let permissions: UInt32

    /// The last change of the contents, in nanoseconds since 1970.
    package let modified: Int64
    /// How many names the file has.
    package let linkCount: Int
    /// Device and inode, which tell the file from every other one.
    package let identity: [UInt64]

    package init(_ status: stat) {
        self.isRegular = status.st_mode & S_IFMT == S_IFREG
        self.isDirectory = status.st_mode & S_IFMT == S_IFDIR
        self.size = Int64(status.st_size)
        self.owner = UInt32(status.st_uid)
        self.permissions = UInt32(status.st_mode) & 0o7777
        self.linkCount = Int(status.st_nlink)
        self.identity = [UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino)]
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        self.modified = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Whether it is this process's user's.
    package var isOwn: Bool { self.owner == UInt32(geteuid()) }

    /// Checks that it is this user's: another user may have put it there for us to trust.
    ///
    /// - Throws: `otherOwner`.
    func checkOwner(of path: String, allowingRoot: Bool = false) throws(SystemError) {
        guard self.isOwn || allowingRoot && self.owner == 0 else { throw SystemError(owner: self.owner, of: path) }
    }

    /// The permissions as `chmod` reads them: `0644`.
    package var modeText: String { "0" + String(self.permissions, radix: 8) }
}

/// The users of this machine, as errors name them.
enum FileOwner {
    /// `ada (uid 1000)`, or `uid 1000` for a user whose name is not known or is not a plain one.
    static func description(of number: UInt32) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(uid_t(number), &entry, &buffer, buffer.count, &found) == 0, found != nil,
            let pointer = entry.pw_name
        else { return "uid \(number)" }
        let name = String(cString: pointer)
        let isPlain = name.utf8.allSatisfy { 0x21...0x7E ~= $0 }
        return isPlain && !name.isEmpty ? "\(name) (uid \(number))" : "uid \(number)"
    }
}
