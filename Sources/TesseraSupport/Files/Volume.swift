// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The file operations of a store.
///
/// Stores use ``SystemVolume``. A simulation has its own volumes, which lose what was not synchronized when their machine
/// loses power. Every method blocks and must only be called on a ``BlockingExecutor``.
package protocol Volume: Sendable {
    /// Opens a private file without following a link, or returns nil if it does not exist and `creating` is false.
    func file(at path: String, writing: Bool, creating: Bool) throws(SystemError) -> (any VolumeFile)?
    /// Returns the contents of a private file, or nil if it does not exist.
    func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8]?
    /// Renames a file, replacing any file at the new path.
    func move(_ old: String, to new: String) throws(SystemError)
    /// Removes a file, or does nothing if it does not exist.
    func remove(_ path: String) throws(SystemError)
    /// Synchronizes a directory's entries to disk.
    func synchronize(directory path: String) throws(SystemError)
    /// Creates a directory and its parents, accessible only to this user.
    func makeDirectory(_ path: String) throws(SystemError)
    /// Checks that other users cannot replace files in a directory, and returns whether it exists.
    func checkDirectory(_ path: String) throws(SystemError) -> Bool
    /// Returns the names of the entries in a directory, or nil if it does not exist.
    func names(in path: String) throws(SystemError) -> [String]?
    /// Returns the size of a file in bytes, or nil if it does not exist.
    func size(of path: String) throws(SystemError) -> Int64?
    /// Returns a path with the links in its existing part resolved.
    func resolved(_ path: String) -> String
    /// Excludes a file or directory in an app's container from backups.
    func excludeFromBackup(_ path: String) throws(SystemError)
    /// Opens a lock file without locking it, and creates it if necessary.
    func lock(_ path: String) throws(SystemError) -> any VolumeLock
}

/// An open file of a ``Volume``.
package protocol VolumeFile: Sendable {
    var path: String { get }
    func size() throws(SystemError) -> Int64
    /// Returns up to `count` bytes from `offset`, or fewer at the end of the file.
    func bytes(at offset: Int64, count: Int) throws(SystemError) -> [UInt8]
    func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError)
    func truncate(to size: Int64) throws(SystemError)
    /// Synchronizes the file's contents to disk.
    func synchronize() throws(SystemError)
}

/// A lock between processes, which is released when its holder exits.
package protocol VolumeLock: Sendable {
    /// Tries to acquire the lock, and returns false if another holder has it.
    func tryLock() throws(SystemError) -> Bool
    func release()
}

extension FileLock: VolumeLock {}

/// The system's file systems.
package struct SystemVolume: Volume {
    package init() {}

    package func file(at path: String, writing: Bool, creating: Bool) throws(SystemError) -> (any VolumeFile)? {
        guard let file = try FileSystem.file(at: path, writing: writing, creating: creating) else { return nil }
        return SystemFile(file)
    }

    package func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8]? {
        try FileSystem.contents(of: path, limit: limit)
    }

    package func move(_ old: String, to new: String) throws(SystemError) { try FileSystem.move(old, to: new) }

    package func remove(_ path: String) throws(SystemError) { try FileSystem.remove(path) }

    package func synchronize(directory path: String) throws(SystemError) {
        try FileSystem.synchronize(directory: path)
    }

    package func makeDirectory(_ path: String) throws(SystemError) { try FileSystem.makeDirectory(path) }

    package func checkDirectory(_ path: String) throws(SystemError) -> Bool { try FileSystem.checkDirectory(path) }

    package func names(in path: String) throws(SystemError) -> [String]? { try FileSystem.names(in: path) }

    package func size(of path: String) throws(SystemError) -> Int64? { try FileSystem.status(of: path)?.size }

    package func resolved(_ path: String) -> String { FileSystem.resolved(path) }

    package func excludeFromBackup(_ path: String) throws(SystemError) { try FileSystem.excludeFromBackup(path) }

    package func lock(_ path: String) throws(SystemError) -> any VolumeLock { try FileLock(path: path) }
}

/// An open file of the system, which is closed when its last reference is released.
private final class SystemFile: VolumeFile {
    private let file: OpenFile

    init(_ file: consuming OpenFile) { self.file = file }

    var path: String { self.file.path }

    func size() throws(SystemError) -> Int64 { try self.file.status().size }

    func bytes(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
        try self.file.bytes(at: offset, count: count)
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) { try self.file.write(bytes, at: offset) }

    func truncate(to size: Int64) throws(SystemError) { try self.file.truncate(to: size) }

    func synchronize() throws(SystemError) { try self.file.synchronize() }
}
