// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The status of a file, as returned by `stat`.
package struct FileStatus: Sendable {
    package let isRegular: Bool
    package let isDirectory: Bool
    package let size: Int64
    /// The owner's user ID.
    package let owner: UInt32
    /// The twelve permission bits.
    package let permissions: UInt32

    /// The time of the last modification, in nanoseconds since 1970.
    package let modified: Int64
    /// The number of hard links.
    package let linkCount: Int
    /// The device and inode, which identify the file.
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

    /// Whether the file belongs to the user that is running this process.
    package var isOwn: Bool { self.owner == UInt32(geteuid()) }

    /// Throws an error if the file belongs to another user, who may have planted it.
    ///
    /// - Throws: `SystemError` with the reason `owner`.
    func checkOwner(of path: String, allowingRoot: Bool = false) throws(SystemError) {
        guard self.isOwn || allowingRoot && self.owner == 0 else { throw SystemError(owner: self.owner, of: path) }
    }

    /// The permissions in octal, such as `0644`.
    package var modeText: String { "0" + String(self.permissions, radix: 8) }
}

/// Descriptions of file owners for error messages.
enum FileOwner {
    /// Returns a description such as `ada (uid 1000)`, or `uid 1000` if the name is unknown or contains unusual
    /// characters.
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
