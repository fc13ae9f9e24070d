// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
package import Tessera

/// Reads and writes files that contain this user's secrets and have mode 0600.
///
/// Every call blocks.
package enum PrivateFile {
    /// Returns a file name that is derived from a text.
    package static func name(for text: String) -> String {
        SHA256.hash(data: Array(text.utf8)).map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
    }

    /// Returns the contents of a file, or nil if it does not exist.
    ///
    /// - Throws: `permissionDenied` if the file belongs to another user, or other users can read or write it.
    package static func contents(of path: String, limit: Int) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure("open", path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("fstat", path) }
        guard Self.isPrivate(status, S_IFREG) else {
            throw StoreError(
                .permissionDenied,
                location: path,
                detail: "other users can access it; run chmod 600 on it if you trust its contents"
            )
        }
        return try FileBytes.read(descriptor, path, "read", limit)
    }

    /// Writes a file that only this user can access.
    ///
    /// The file is written atomically. If the program is killed, it has either its old or its new contents.
    ///
    /// - Parameters:
    ///   - bytes: The contents.
    ///   - path: The path of the file.
    ///   - replaces: Whether to replace an existing file.
    /// - Returns: Whether the file was written, or false if it exists and must not be replaced.
    /// - Throws: ``StoreError`` with the system's error.
    @discardableResult
    package static func write(_ bytes: [UInt8], to path: String, replaces: Bool = true) throws(StoreError) -> Bool {
        let draft = path + "." + String(UInt64.random(in: .min ... .max), radix: 16)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("open", path) }
        defer { unlink(draft) }
        var number = fchmod(descriptor, 0o600) == 0 ? Console.write(bytes, to: descriptor) : errno
        if number == 0, fsync(descriptor) != 0 { number = errno }
        close(descriptor)
        guard number == 0 else { throw Self.failure("write", path, number) }
        // If two processes create the file at the same time, only one succeeds, unless the file system lacks hard
        // links.
        if !replaces, link(draft, path) == 0 { return try Self.synchronizeParent(of: path) }
        if !replaces, errno == EEXIST || access(path, F_OK) == 0 { return false }
        guard rename(draft, path) == 0 else { throw Self.failure("rename", path) }
        return try Self.synchronizeParent(of: path)
    }

    /// Removes a file if it exists.
    package static func remove(_ path: String) throws(StoreError) {
        if unlink(path) != 0, errno != ENOENT { throw Self.failure("unlink", path) }
    }

    /// Creates a directory, and any missing parent directories, that only this user can access.
    ///
    /// - Throws: `permissionDenied` if the directory exists and other users can write to it, since they could replace
    ///   files.
    package static func makeDirectory(_ path: String) throws(StoreError) {
        if mkdir(path, 0o700) == 0 {
            // The umask may have removed the owner's permissions.
            guard chmod(path, 0o700) == 0 else { throw Self.failure("chmod", path) }
        } else if errno == ENOENT, let parent = path.parentDirectory, parent != path {
            try Self.makeDirectory(parent)
            try Self.makeDirectory(path)
        } else {
            guard errno == EEXIST else { throw Self.failure("mkdir", path) }
            var status = stat()
            guard stat(path, &status) == 0 else { throw Self.failure("stat", path) }
            guard status.st_mode & S_IFMT == S_IFDIR else { throw Self.failure("open", path, ENOTDIR) }
            guard [geteuid(), 0].contains(status.st_uid), status.st_mode & 0o022 == 0 else {
                throw StoreError(
                    .permissionDenied,
                    location: path,
                    detail: "other users can write to it; run chmod go-w on it or choose another directory"
                )
            }
        }
    }

    /// Returns whether a directory is private to this user and not a symbolic link.
    package static func isPrivateDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && Self.isPrivate(status, S_IFDIR)
    }

    private static func isPrivate(_ status: stat, _ kind: mode_t) -> Bool {
        status.st_mode & S_IFMT == kind && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    }

    /// Makes the new directory entry durable.
    private static func synchronizeParent(of path: String) throws(StoreError) -> Bool {
        guard let parent = path.parentDirectory else { return true }
        let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("open", parent) }
        defer { close(descriptor) }
        // Some file systems do not support this.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw Self.failure("fsync", parent) }
        return true
    }

    private static func failure(_ call: String, _ path: String, _ number: Int32 = errno) -> StoreError {
        let code: StoreError.Code =
            switch number {
            case EACCES, EPERM, EROFS: .permissionDenied
            case ENOSPC, EDQUOT: .full
            case ELOOP, ENOTDIR, ENOENT, EISDIR, ENAMETOOLONG, EOPNOTSUPP: .unavailable
            default: .system
            }
        return StoreError(code, location: path, status: number, detail: "\(call): \(FileBytes.words(number))")
    }
}

extension String {
    /// The absolute path without a trailing slash, or an empty string if this one is empty.
    package var absolutePath: String {
        guard !self.isEmpty else { return "" }
        let whole = self.hasPrefix("/") ? self : FileManager.default.currentDirectoryPath + "/" + self
        return "/" + whole.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }

    /// The directory that contains the last component of an absolute path, or nil for the root and for a plain name.
    package var parentDirectory: String? {
        guard let slash = self.lastIndex(of: "/"), self != "/" else { return nil }
        return slash == self.startIndex ? "/" : String(self[..<slash])
    }
}
