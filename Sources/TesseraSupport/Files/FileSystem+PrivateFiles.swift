// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Operations on files that another library opens, which avoid opening existing ones.
extension FileSystem {
    /// Whether a file exists at a path, including a dangling link.
    package static func exists(_ path: String) throws(SystemError) -> Bool {
        try Self.ownStatus(of: path) != nil
    }

    /// Creates an empty file with mode 0600, or removes other users' permissions from an existing one.
    ///
    /// An existing file is not opened, because closing it would release the process's locks on it, such as SQLite's.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - isBackedUp: Whether backups of an app's container include the file.
    /// - Throws: `SystemError` with the reason `notRegular` for a link or anything else that is not a regular file, or
    ///   `owner` for another user's file.
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

    /// Fills a file with zeros up to `size` bytes and synchronizes it to disk.
    ///
    /// - Throws: `SystemError` if there is not enough space, after releasing the space that was reserved.
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

    /// Releases the space reserved by ``reserve(_:at:)``.
    package static func release(_ path: String) throws(SystemError) {
        guard let file = try Self.file(at: path, writing: true) else { return }
        try file.truncate(to: 0)
    }

    /// Whether a directory is accessible only to this user and is not a link.
    package static func isPrivateDirectory(_ path: String) -> Bool { Self.exposure(ofDirectory: path) == nil }

    /// Returns why other users can access a directory, as a fragment for an error message, or nil if they cannot.
    package static func exposure(ofDirectory path: String) -> String? {
        guard let status = try? Self.ownStatus(of: path) else { return "it cannot be opened" }
        guard status.isDirectory else { return "it is a link, or not a directory" }
        guard status.isOwn else { return "it belongs to \(FileOwner.description(of: status.owner))" }
        guard status.permissions & 0o077 == 0 else {
            return "other users can access it (mode \(status.modeText)). Run chmod 700, or choose another directory"
        }
        return nil
    }

    /// Appends a line to a private file, creating the file if necessary.
    ///
    /// Several processes can append at the same time. If the last line is incomplete, for example because the disk was
    /// full, the new text begins on its own line.
    ///
    /// - Throws: `SystemError` with the reason `notRegular` for a link or anything else that is not a regular file, or
    ///   `owner` for another user's file.
    package static func append(_ line: [UInt8], to path: String) throws(SystemError) {
        guard let file = try Self.file(at: path, writing: true, creating: true, appending: true) else {
            throw SystemError(ENOENT, "open", path)
        }
        let size = try file.checkedStatus().size
        let last = size > 0 ? try file.bytes(at: size - 1, count: 1) : [0x0A]
        try file.append(last == [0x0A] ? line : [0x0A] + line)
    }

    /// Returns the owner of a file that belongs to another user, as a fragment for an error message.
    ///
    /// - Parameters:
    ///   - path: The path of the file. Links are followed.
    ///   - trustsRoot: Whether to ignore files that belong to root.
    /// - Returns: The owner's name and user ID, or nil if the file belongs to this user or cannot be read.
    package static func otherOwner(of path: String, trustsRoot: Bool) -> String? {
        guard let status = try? Self.status(of: path), !status.isOwn, !(trustsRoot && status.owner == 0) else {
            return nil
        }
        return FileOwner.description(of: status.owner)
    }

    /// Returns the status of a file without following links, or nil if it does not exist.
    package static func ownStatus(of path: String) throws(SystemError) -> FileStatus? {
        var status = stat()
        if lstat(path, &status) == 0 { return FileStatus(status) }
        if errno == ENOENT { return nil }
        throw SystemError(errno, "lstat", path)
    }
}
