// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
internal import CTesseraPOSIX
#endif

/// Path-based file system operations.
///
/// The methods block and must only be called on a ``BlockingExecutor``.
package enum FileSystem {
    /// Whether files are protected by data protection classes, as in app containers on iOS and related systems.
    package static var hasDataProtection: Bool {
        #if canImport(Darwin) && !canImport(AppKit)
        true
        #else
        false
        #endif
    }

    /// Opens a file without following a link in its last component.
    ///
    /// Returns nil if the file does not exist and `creating` is false. A new file has mode 0600 regardless of the
    /// umask. Opening does not block, not even on a pipe.
    package static func file(
        at path: String,
        writing: Bool = false,
        creating: Bool = false,
        exclusively: Bool = false,
        appending: Bool = false
    ) throws(SystemError) -> OpenFile? {
        var flags = O_NOFOLLOW | (writing ? O_RDWR : O_RDONLY)
        if creating { flags |= O_CREAT }
        if exclusively { flags |= O_EXCL }
        if appending { flags |= O_APPEND }
        do {
            let file = try Self.openFile(path, flags, mode: 0o600)
            if creating { try file.setPrivateMode() }
            return file
        } catch {
            if error.status == ENOENT, !creating { return nil }
            throw error
        }
    }

    /// Opens a regular file with flags for `open(2)`.
    package static func openFile(_ path: String, _ flags: Int32, mode: UInt32) throws(SystemError) -> OpenFile {
        let descriptor = Self.retrying { open(path, flags | O_CLOEXEC | O_NONBLOCK, mode_t(mode)) }
        if descriptor < 0 { throw SystemError(errno, "open", path) }
        let file = OpenFile(descriptor: descriptor, path: path)
        if try file.status().isRegular == false {
            throw SystemError(.notRegular, path: path, detail: "not a regular file")
        }
        return file
    }

    /// Returns the contents of a private file, or nil if it does not exist.
    ///
    /// - Throws: `SystemError` with the reason `owner` for another user's file, or `permissions` if other users can
    ///   read or write the file.
    package static func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8]? {
        guard let file = try Self.file(at: path) else { return nil }
        let status = try file.checkedStatus()
        guard status.permissions & 0o077 == 0 else {
            throw SystemError(
                .permissions,
                path: path,
                detail: "other users can read or write it (mode \(status.modeText)). If you trust it, run chmod 600"
            )
        }
        return try file.contents(limit: limit)
    }

    /// Creates a private file unless something already exists at its path.
    ///
    /// The file appears at its path only when it is complete and on disk, so an incomplete file is never visible. If
    /// several processes try to create the file, only one succeeds.
    ///
    /// - Returns: False, without any change, if something exists at the path.
    @discardableResult
    package static func make(_ path: String, holding bytes: [UInt8]) throws(SystemError) -> Bool {
        var isMade = false
        try Self.place(bytes, at: path) { (temporary) throws(SystemError) in
            isMade = try Self.moveExclusively(temporary, to: path)
            if !isMade { try Self.remove(temporary) }
        }
        return isMade
    }

    /// Replaces a file atomically, so that a killed process leaves either the old or the new contents.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        try Self.place(bytes, at: path) { (temporary) throws(SystemError) in try Self.move(temporary, to: path) }
    }

    /// Writes a temporary file next to `path`, excluded from backups, and calls `naming` to move it into place.
    private static func place(
        _ bytes: [UInt8],
        at path: String,
        _ naming: (_ temporary: String) throws(SystemError) -> Void
    ) throws(SystemError) {
        let temporary = path + "." + String(UInt64.random(in: .min ... .max), radix: 16)
        guard let file = try Self.file(at: temporary, writing: true, creating: true, exclusively: true) else {
            throw SystemError(ENOENT, "open", temporary)
        }
        do {
            try Self.excludeFromBackup(temporary)
            try file.write(bytes, at: 0)
            try file.synchronize()
            try naming(temporary)
        } catch {
            try? Self.remove(temporary)
            throw error
        }
        if let directory = Self.parent(of: path) { try Self.synchronize(directory: directory) }
    }

    package static func move(_ old: String, to new: String) throws(SystemError) {
        if rename(old, new) != 0 { throw SystemError(errno, "rename", new) }
    }

    /// Renames a file unless something exists at the new path.
    ///
    /// - Returns: Whether the file was renamed.
    package static func moveExclusively(_ old: String, to new: String) throws(SystemError) -> Bool {
        if Self.renameExclusively(old, new) == 0 { return true }
        if errno == EEXIST { return false }
        guard errno == EINVAL || errno == ENOTSUP || errno == ENOSYS else { throw SystemError(errno, "rename", new) }
        // The file system does not support an exclusive rename. Use a hard link instead.
        if link(old, new) != 0 {
            if errno == EEXIST { return false }
            throw SystemError(errno, "link", new)
        }
        try Self.remove(old)
        return true
    }

    /// Renames a file exclusively without `link`, which an app's sandbox may forbid.
    private static func renameExclusively(_ old: String, _ new: String) -> Int32 {
        #if canImport(Darwin)
        renamex_np(old, new, UInt32(RENAME_EXCL))
        #else
        tessera_rename_exclusively(old, new)
        #endif
    }

    /// Removes a file, or does nothing if it does not exist.
    package static func remove(_ path: String) throws(SystemError) {
        if unlink(path) != 0, errno != ENOENT { throw SystemError(errno, "unlink", path) }
    }

    /// Synchronizes a directory's entries to disk.
    package static func synchronize(directory path: String) throws(SystemError) {
        let descriptor = Self.retrying { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        if descriptor < 0 { throw SystemError(errno, "open", path) }
        try OpenFile(descriptor: descriptor, path: path).synchronize()
    }

    /// Creates a directory and its parents, accessible only to this user.
    ///
    /// In an app's container, new directories and Tessera's directories are excluded from backups. Other existing
    /// directories are not, because they can contain the app's other files. Only the owner may have write access to the
    /// directory, because other users could otherwise replace its files.
    package static func makeDirectory(_ path: String) throws(SystemError) {
        let exists = try Self.checkDirectory(path)
        if !exists {
            try Self.makeNewDirectory(path)
            // Another user may have created it in the meantime.
            try Self.checkDirectory(path)
        }
        if !exists || UserFolders.isInTesserasDirectory(path) { try Self.excludeFromBackup(path) }
    }

    private static func makeNewDirectory(_ path: String) throws(SystemError) {
        if let parent = Self.parent(of: path) { try Self.makeParent(parent) }
        if mkdir(path, 0o700) != 0 {
            if errno == EEXIST { return }
            throw SystemError(errno, "mkdir", path)
        }
        // The umask may have removed the owner's permissions.
        if chmod(path, 0o700) != 0 { throw SystemError(errno, "chmod", path) }
    }

    /// Checks that other users cannot replace files in a directory.
    ///
    /// - Returns: False if the directory does not exist.
    /// - Throws: `SystemError` with the reason `permissions` if other users can write to the directory, or `owner` if
    ///   it belongs to neither this user nor root.
    @discardableResult
    package static func checkDirectory(_ path: String) throws(SystemError) -> Bool {
        guard let status = try Self.status(of: path) else { return false }
        guard status.isDirectory else { throw SystemError(ENOTDIR, "open", path) }
        try status.checkOwner(of: path, allowingRoot: true)
        guard status.permissions & 0o022 == 0 else {
            throw SystemError(
                .permissions,
                path: path,
                detail: "other users can write to it (mode \(status.modeText)). Run chmod go-w or use another directory"
            )
        }
        return true
    }

    private static func makeParent(_ path: String) throws(SystemError) {
        if try Self.status(of: path) == nil { try Self.makeNewDirectory(path) }
    }

    /// Returns the names of the entries in a directory, or nil if it does not exist.
    package static func names(in path: String) throws(SystemError) -> [String]? {
        guard let directory = opendir(path) else {
            if errno == ENOENT { return nil }
            throw SystemError(errno, "opendir", path)
        }
        defer { closedir(directory) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                        String(cString: $0)
                    }
                }
            )
            errno = 0
        }
        if errno != 0 { throw SystemError(errno, "readdir", path) }
        return names
    }

    /// Returns the status of a file after following links, or nil if it does not exist.
    package static func status(of path: String) throws(SystemError) -> FileStatus? {
        var status = stat()
        if stat(path, &status) == 0 { return FileStatus(status) }
        if errno == ENOENT { return nil }
        throw SystemError(errno, "stat", path)
    }

    /// Returns a path with the links in its existing part resolved.
    package static func resolved(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        guard let parent = Self.parent(of: path) else { return path }
        let name = path.split(separator: "/").last ?? ""
        return (parent == "/" ? "" : Self.resolved(parent)) + "/" + name
    }

    /// Returns the parent directory of an absolute path, or nil for the root.
    package static func parent(of path: String) -> String? {
        let parts = path.split(separator: "/")
        return parts.isEmpty ? nil : "/" + parts.dropLast().joined(separator: "/")
    }

    /// Repeats a call as long as a signal interrupts it.
    static func retrying<Value: SignedInteger>(_ call: () -> Value) -> Value {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

#if canImport(Darwin) && !(canImport(AppKit) && !targetEnvironment(macCatalyst))
internal import Foundation
#endif

extension FileSystem {
    /// A closure that is called with each path before it is excluded from backups, on every system.
    ///
    /// Tests set it once per process, because backups exist only for app containers. If it returns an error, that error
    /// is thrown. The closure does not throw the error itself, because a function type with typed throws cannot be
    /// stored like this before iOS 18.
    package static let backupExclusionObserver = Mutex<(@Sendable (_ path: String) -> SystemError?)?>(nil)

    /// Excludes a file or directory in an app's container from backups.
    ///
    /// On other systems, this method only calls ``backupExclusionObserver``. A refresh token that is restored to a
    /// second device could be replayed there.
    ///
    /// - Throws: `SystemError` if the exclusion fails, so that the secret is not written.
    package static func excludeFromBackup(_ path: String) throws(SystemError) {
        let observer = Self.backupExclusionObserver.withLock { $0 }
        if let error = observer?(path) { throw error }
        #if canImport(Darwin) && !(canImport(AppKit) && !targetEnvironment(macCatalyst))
        var url = URL(fileURLWithPath: path)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        do {
            try url.setResourceValues(values)
        } catch {
            let error = error as NSError
            throw SystemError(
                .call,
                path: path,
                status: Int32(truncatingIfNeeded: error.code),
                detail: "it could not be excluded from backups (\(error.domain))"
            )
        }
        #endif
    }
}
