// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Files that another library opens and writes: they are made and looked at, and never opened where they are.
extension FileSystem {
    /// Whether something has this name, a link with nothing behind it included.
    package static func exists(_ path: String) throws(SystemError) -> Bool {
        try Self.ownStatus(of: path) != nil
    }

    /// Makes an empty file with mode 0600 where there is none, and takes the others' rights from one that is there.
    ///
    /// A file that is there is not opened: closing it would take away the locks that this process has on it, SQLite's
    /// for example.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - isBackedUp: whether the backups of an app's container include it.
    /// - Throws: `unavailable` for a link, and for anything else that is no file; `otherOwner` for another user's.
    package static func makePrivateFile(_ path: String, isBackedUp: Bool = false) throws(SystemError) {
        if let status = try Self.ownStatus(of: path) {
            guard status.isRegular else { throw SystemError(.notRegular, path: path, detail: "not a regular file") }
            try status.checkOwner(of: path)
            if status.permissions & 0o077 != 0, chmod(path, 0o600) != 0 { throw SystemError(errno, "chmod", path) }
        } else {
            _ = try Self.file(at: path, writing: true, creating: true, exclusively: true)
        }
        if !isBackedUp { try Self.excludeFromBackup(path) }
    }

    /// Writes zeros until the file has `size` bytes, which are on the disk then.
    ///
    /// - Throws: `full` when there is no space; what was taken is given back.
    package static func reserve(_ size: Int64, at path: String) throws(SystemError) {
        if try Self.ownStatus(of: path)?.size == size { return }
        guard let file = try Self.file(at: path, writing: true, creating: true) else { return }
        do {
            try file.truncate(to: 0)
            try file.write([UInt8](repeating: 0, count: Int(size)), at: 0)
            try file.synchronize()
        } catch {
            try? file.truncate(to: 0)
            throw error
        }
    }

    /// Gives back what ``reserve(_:at:)`` took.
    package static func release(_ path: String) throws(SystemError) {
        guard let file = try Self.file(at: path, writing: true) else { return }
        try file.truncate(to: 0)
    }

    /// Whether a directory is this user's alone, and no link to one.
    package static func isPrivateDirectory(_ path: String) -> Bool { Self.exposure(ofDirectory: path) == nil }

    /// Returns why a directory is not this user's alone, as an error names it; nil where it is.
    package static func exposure(ofDirectory path: String) -> String? {
        guard let status = try? Self.ownStatus(of: path) else { return "it cannot be opened" }
        guard status.isDirectory else { return "it is a link, or not a directory" }
        guard status.isOwn else { return "it belongs to \(FileOwner.description(of: status.owner))" }
        guard status.permissions & 0o077 == 0 else {
            return "others may look or write there (mode \(status.modeText)); chmod 700 it or choose another directory"
        }
        return nil
    }

    /// Appends a line to a file that is this user's alone, and creates the file where it is missing.
    ///
    /// Several processes may append at the same time. A line that was cut off, on a full disk for example, is not
    /// continued by the next.
    ///
    /// - Throws: `unavailable` for a link and for anything else that is no file; `otherOwner` for another user's.
    package static func append(_ line: [UInt8], to path: String) throws(SystemError) {
        guard let file = try Self.file(at: path, writing: true, creating: true, appending: true) else {
            throw SystemError(ENOENT, "open", path)
        }
        let size = try file.checkedStatus().size
        let last = size > 0 ? try file.bytes(at: size - 1, count: 1) : [0x0A]
        try file.append(last == [0x0A] ? line : [0x0A] + line)
    }

    /// The owner of a file that belongs to another user, as an error names it; nil for any other file.
    ///
    /// - Parameters:
    ///   - path: The file. Links are followed.
    ///   - trustsRoot: Whether root is no other user.
    /// - Returns: The owner's name or number, or nil if it is this user.
    package static func otherOwner(of path: String, trustsRoot: Bool) -> String? {
        guard let status = try? Self.status(of: path), !status.isOwn, !(trustsRoot && status.owner == 0) else {
            return nil
        }
        return FileOwner.description(of: status.owner)
    }

    /// What stands at a path itself, nil when nothing does.
    package static func ownStatus(of path: String) throws(SystemError) -> FileStatus? {
        var status = stat()
        if lstat(path, &status) == 0 { return FileStatus(status) }
        if errno == ENOENT { return nil }
        throw SystemError(errno, "lstat", path)
    }
}
