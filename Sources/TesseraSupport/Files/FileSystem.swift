// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
internal import CTesseraPOSIX
#endif

/// The system calls that a file store needs, by path.
///
/// They block: only a ``BlockingExecutor`` may run them.
package enum FileSystem {
    /// Whether files are protected by classes that depend on the device's lock: in the containers of iOS and its relatives.
    package static var hasDataProtection: Bool {
        #if canImport(Darwin) && !canImport(AppKit)
        true
        #else
        false
        #endif
    }

    /// Opens a file and follows no link in its last component.
    ///
    /// Nil when there is none and none is to be made.
    ///
    /// A file that is made has mode 0600 whatever the umask. Opening never waits, not even for a pipe's other end.
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

    /// Opens a regular file with the flags of `open(2)`.
    package static func openFile(_ path: String, _ flags: Int32, mode: UInt32) throws(SystemError) -> OpenFile {
        let descriptor = Self.retrying { open(path, flags | O_CLOEXEC | O_NONBLOCK, mode_t(mode)) }
        if descriptor < 0 { throw SystemError(errno, "open", path) }
        let file = OpenFile(descriptor: descriptor, path: path)
        if try file.status().isRegular == false {
            throw SystemError(.notRegular, path: path, detail: "not a regular file")
        }
        return file
    }

    /// The whole of a file that is this user's alone, nil when there is none.
    ///
    /// - Throws: `otherOwner` for another user's file; `permissionDenied` where others may read or write it.
    package static func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8]? {
        guard let file = try Self.file(at: path) else { return nil }
        let status = try file.checkedStatus()
        guard status.permissions & 0o077 == 0 else {
            throw SystemError(
                .permissions,
                path: path,
                detail: "others may read or write it (mode \(status.modeText)); chmod 600 it if you trust what it holds"
            )
        }
        return try file.contents(limit: limit)
    }

    /// Makes a file for this user alone, unless one has the name by now.
    ///
    /// It gets its name when it is complete and on the disk: nobody can read half of it, and of two processes one wins.
    ///
    /// False when something had the name: that stays as it is.
    @discardableResult
    package static func make(_ path: String, holding bytes: [UInt8]) throws(SystemError) -> Bool {
        var isMade = false
        try Self.place(bytes, at: path) { (temporary) throws(SystemError) in
            isMade = try Self.moveExclusively(temporary, to: path)
            if !isMade { try Self.remove(temporary) }
        }
        return isMade
    }

    /// Replaces a file; killed at any moment, the old contents are there or the new ones.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        try Self.place(bytes, at: path) { (temporary) throws(SystemError) in try Self.move(temporary, to: path) }
    }

    /// Writes a file beside `path`, which no backup includes, and lets `naming` give it that name.
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

    /// Renames a file unless the new name is taken.
    ///
    /// - Returns: whether it was renamed.
    package static func moveExclusively(_ old: String, to new: String) throws(SystemError) -> Bool {
        if Self.renameExclusively(old, new) == 0 { return true }
        if errno == EEXIST { return false }
        guard errno == EINVAL || errno == ENOTSUP || errno == ENOSYS else { throw SystemError(errno, "rename", new) }
        // The file system cannot rename exclusively, but it may have hard links.
        if link(old, new) != 0 {
            if errno == EEXIST { return false }
            throw SystemError(errno, "link", new)
        }
        try Self.remove(old)
        return true
    }

    /// An app's sandbox may refuse `link`, so a file gets its name without it.
    private static func renameExclusively(_ old: String, _ new: String) -> Int32 {
        #if canImport(Darwin)
        renamex_np(old, new, UInt32(RENAME_EXCL))
        #else
        tessera_rename_exclusively(old, new)
        #endif
    }

    /// Removes a name; no error where there is none.
    package static func remove(_ path: String) throws(SystemError) {
        if unlink(path) != 0, errno != ENOENT { throw SystemError(errno, "unlink", path) }
    }

    /// Makes the names in a directory durable.
    package static func synchronize(directory path: String) throws(SystemError) {
        let descriptor = Self.retrying { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        if descriptor < 0 { throw SystemError(errno, "open", path) }
        try OpenFile(descriptor: descriptor, path: path).synchronize()
    }

    /// Makes a directory and those above it, for this user alone.
    ///
    /// In an app's container a new directory and Tessera's own ones are excluded from backups. Any other directory that
    /// exists is left unchanged: other files of the app may be there. Only its owner may write there: anyone else who may
    /// write could put other files in place of ours.
    package static func makeDirectory(_ path: String) throws(SystemError) {
        let exists = try Self.checkDirectory(path)
        if !exists { try Self.makeNewDirectory(path) }
        if !exists || UserPlaces.isInTesserasDirectory(path) { try Self.excludeFromBackup(path) }
    }

    private static func makeNewDirectory(_ path: String) throws(SystemError) {
        if let parent = Self.parent(of: path) { try Self.makeParent(parent) }
        if mkdir(path, 0o700) != 0 {
            if errno == EEXIST { return }
            throw SystemError(errno, "mkdir", path)
        }
        // The umask may have taken away the owner's own rights.
        if chmod(path, 0o700) != 0 { throw SystemError(errno, "chmod", path) }
    }

    /// Looks at a directory in which files of ours lie, or will.
    ///
    /// - Returns: false where there is none.
    /// - Throws: `permissionDenied` where others may write there; `otherOwner` for a directory that is neither this user's
    ///   nor root's.
    @discardableResult
    package static func checkDirectory(_ path: String) throws(SystemError) -> Bool {
        guard let status = try Self.status(of: path) else { return false }
        guard status.isDirectory else { throw SystemError(ENOTDIR, "open", path) }
        try status.checkOwner(of: path, allowingRoot: true)
        guard status.permissions & 0o022 == 0 else {
            throw SystemError(
                .permissions,
                path: path,
                detail: "others may write there (mode \(status.modeText)); chmod go-w it or choose another directory"
            )
        }
        return true
    }

    private static func makeParent(_ path: String) throws(SystemError) {
        if try Self.status(of: path) == nil { try Self.makeNewDirectory(path) }
    }

    /// The names in a directory, nil when there is no such directory.
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

    /// What stands at a path, links followed; nil when nothing does.
    package static func status(of path: String) throws(SystemError) -> FileStatus? {
        var status = stat()
        if stat(path, &status) == 0 { return FileStatus(status) }
        if errno == ENOENT { return nil }
        throw SystemError(errno, "stat", path)
    }

    /// The path without links, as far as it exists; the rest as it is written.
    package static func resolved(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        guard let parent = Self.parent(of: path) else { return path }
        let name = path.split(separator: "/").last ?? ""
        return (parent == "/" ? "" : Self.resolved(parent)) + "/" + name
    }

    /// The directory that holds an absolute path's last component, nil for the root.
    package static func parent(of path: String) -> String? {
        let parts = path.split(separator: "/")
        return parts.isEmpty ? nil : "/" + parts.dropLast().joined(separator: "/")
    }

    /// Calls again what a signal interrupted.
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
    /// Called with each path before it is excluded from backups, on every system.
    ///
    /// Tests set it once per process, because only an app's container has backups; an error that it returns is thrown.
    /// It does not throw itself, because a function type with typed errors cannot be stored like this before iOS 18.
    package static let backupExclusionObserver = Mutex<(@Sendable (_ path: String) -> SystemError?)?>(nil)

    /// Excludes a file or a directory of an app's container from the device's backups; on other systems only
    /// ``backupExclusionObserver`` is called.
    ///
    /// A refresh token that is restored to a second device would be replayed there.
    ///
    /// - Throws: `system` if the exclusion cannot be noted: what must not be in a backup is not written.
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
