// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// A regular file that a transfer reads from or writes to.
///
/// Its operations block a dedicated queue rather than a thread of the cooperative pool.
final class TransferFile: Sendable {
    /// The file's size and modification date.
    struct Status: Sendable, Hashable {
        var size: Int64
        /// The modification date in nanoseconds since 1970.
        var modified: Int64
    }

    let path: String
    private let file: OpenFile
    private let executor = BlockingExecutor()
    /// The executor for operations on paths.
    ///
    /// Stores use other queues, so they never wait for slow disks.
    private static let executor = BlockingExecutor()

    private init(_ file: consuming OpenFile) {
        self.path = file.path
        self.file = file
    }

    /// Opens a file for reading.
    ///
    /// If `requiresOwner` is true, opening a file that belongs to another user fails with `foreignOwner`.
    static func reading(_ path: String, requiresOwner: Bool = false) async throws -> TransferFile {
        let file = try await Self.opened(path, O_RDONLY)
        if requiresOwner { try await file.run { _ = try $0.checkedStatus() } }
        return file
    }

    /// Opens or creates a file for writing, without truncating it, and locks it.
    ///
    /// Throws ``FileError`` `busy` if another transfer is writing to it, `exists` if it must be new (`exclusively`) but
    /// already exists, and `foreignOwner` if it belongs to another user, who could change it at any time.
    static func writing(_ path: String, exclusively: Bool = false) async throws -> TransferFile {
        let file = try await Self.opened(path, O_RDWR | O_CREAT | O_NOFOLLOW | (exclusively ? O_EXCL : 0))
        try await file.run {
            _ = try $0.checkedStatus()
            try Self.lock($0)
        }
        return file
    }

    /// Locks a file for exclusive use by this transfer.
    ///
    /// Throws ``FileError`` `busy` if another transfer has locked the file, or has renamed it since it was opened.
    /// Throws a `SystemError` (`EMLINK`) if the file has a second name, because its contents could then change.
    static func lock(_ file: borrowing OpenFile) throws {
        let path = file.path
        guard try file.tryLock() else { throw FileError(.busy, path: path) }
        let status = try file.status()
        guard try FileSystem.ownStatus(of: path)?.identity == status.identity else {
            throw FileError(.busy, path: path)
        }
        guard status.linkCount <= 1 else { throw SystemError(EMLINK, "open", path) }
    }

    private static func opened(_ path: String, _ flags: Int32) async throws -> TransferFile {
        try await Self.run(path) { TransferFile(try FileSystem.openFile(path, flags, mode: 0o666)) }
    }

    /// Throws ``FileError`` `exists` if the path exists, even if it is a dangling link.
    static func checkAbsence(of path: String) async throws {
        try await Self.run(path) {
            if try FileSystem.exists(path) { throw SystemError(EEXIST, "lstat", path) }
        }
    }

    func status() async throws -> Status {
        try await self.run {
            let status = try $0.status()
            return Status(size: status.size, modified: status.modified)
        }
    }

    /// Returns the bytes at `offset`.
    ///
    /// There are fewer than `count` at the end of the file.
    func read(_ count: Int, at offset: Int64) async throws -> [UInt8] {
        try await self.run { try $0.bytes(at: offset, count: count) }
    }

    func write(_ bytes: [UInt8], at offset: Int64) async throws {
        try await self.run { try $0.write(bytes, at: offset) }
    }

    func truncate(to size: Int64) async throws {
        try await self.run { try $0.truncate(to: size) }
    }

    /// Waits until the contents have been written to the disk, if the file system supports this.
    func synchronize() async throws {
        try await self.run {
            do throws(SystemError) { try $0.synchronize() } catch {
                guard let status = error.status, [EINVAL, EROFS, ENOTSUP].contains(status) else { throw error }
            }
        }
    }

    /// Renames the file, replacing any existing file with the new name.
    func move(to path: String) async throws {
        try await Self.run(path, on: self.executor) { try FileSystem.move(self.path, to: path) }
    }

    /// Renames the file atomically, without replacing an existing file.
    ///
    /// - Throws: ``FileError`` `exists` if the new name is taken.
    func moveExclusively(to path: String) async throws {
        try await Self.run(path, on: self.executor) {
            guard try FileSystem.moveExclusively(self.path, to: path) else { throw SystemError(EEXIST, "rename", path) }
        }
    }

    /// Removes a file if it exists.
    static func remove(_ path: String) async throws {
        try await Self.run(path) { try FileSystem.remove(path) }
    }

    private func run<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing OpenFile) throws -> Result
    ) async throws -> Result {
        try await Self.run(self.path, on: self.executor) { try body(self.file) }
    }

    private static func run<Result: Sendable>(
        _ path: String,
        on executor: BlockingExecutor = TransferFile.executor,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await executor.run {
            do { return try body() } catch let error as SystemError { throw FileError(error, path: path) }
        }
    }
}
