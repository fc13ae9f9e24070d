// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
package import Tessera

/// Files that hold secrets of this user, with mode 0600; every call blocks.
package enum PrivateFile {
    /// Returns a file name that is derived from any text.
    package static func name(for text: String) -> String {
        SHA256.hash(data: Array(text.utf8)).map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
    }

    /// Returns the contents, or nil if the file does not exist.
    ///
    /// - Throws: `permissionDenied` if the file belongs to another user, or others can read or write it.
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
                place: path,
                detail: "other users can access it; run chmod 600 on it if you trust its contents"
            )
        }
        return try FileBytes.read(descriptor, path, "read", limit)
    }

    /// Writes a file for this user alone.
    ///
    /// If the program is killed at any moment, the old contents are there or the new ones.
    ///
    /// - Parameters:
    ///   - bytes: The contents.
    ///   - path: Where the file goes.
    ///   - replaces: Whether a file that is there is replaced.
    /// - Returns: Whether it was written: false if there is a file that must not be replaced.
    /// - Throws: The system's error.
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
        // Of two names that are given at once, one wins; a file system without hard links leaves a short moment.
        if !replaces, link(draft, path) == 0 { return try Self.synchronizeParent(of: path) }
        if !replaces, errno == EEXIST || access(path, F_OK) == 0 { return false }
        guard rename(draft, path) == 0 else { throw Self.failure("rename", path) }
        return try Self.synchronizeParent(of: path)
    }

    /// Removes a file if it exists.
    package static func remove(_ path: String) throws(StoreError) {
        if unlink(path) != 0, errno != ENOENT { throw Self.failure("unlink", path) }
    }

    /// Creates a directory, with those above it, for this user alone.
    ///
    /// - Throws: `permissionDenied` where it exists and other users may write there: they could put other files in place of
    ///   ours.
    package static func makeDirectory(_ path: String) throws(StoreError) {
        if mkdir(path, 0o700) == 0 {
            // The umask may have taken away the owner's own rights.
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
                    place: path,
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

    /// Makes the new name durable.
    private static func synchronizeParent(of path: String) throws(StoreError) -> Bool {
        guard let parent = path.parentDirectory else { return true }
        let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("open", parent) }
        defer { close(descriptor) }
        // Some file systems cannot.
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
        return StoreError(code, place: path, status: number, detail: "\(call): \(FileBytes.words(number))")
    }
}

extension String {
    /// The path from the root, without a slash at its end; an empty one stays empty.
    package var absolutePath: String {
        guard !self.isEmpty else { return "" }
        let whole = self.hasPrefix("/") ? self : FileManager.default.currentDirectoryPath + "/" + self
        return "/" + whole.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }

    /// The directory that an absolute path's last component is in; nil for the root and for a name.
    package var parentDirectory: String? {
        guard let slash = self.lastIndex(of: "/"), self != "/" else { return nil }
        return slash == self.startIndex ? "/" : String(self[..<slash])
    }
}
