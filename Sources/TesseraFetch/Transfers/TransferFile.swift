// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// A regular file that a transfer reads or writes; every call blocks a queue of its own and no cooperative thread.
final class TransferFile: Sendable {
    /// What the system says about it.
    struct Status: Sendable, Hashable {
        var size: Int64
        /// In nanoseconds since 1970.
        var modified: Int64
    }

    let path: String
    private let file: OpenFile
    private let executor = BlockingExecutor()
    /// For what is done by a file's name: stores have their own, and do not wait for a disk of the caller's.
    private static let executor = BlockingExecutor()

    private init(_ file: consuming OpenFile) {
        self.path = file.path
        self.file = file
    }

    /// Opens a file to read it.
    ///
    /// If `requiresOwner` is true, a file of another user is an error (`foreignOwner`).
    static func reading(_ path: String, requiresOwner: Bool = false) async throws -> TransferFile {
        let file = try await Self.opened(path, O_RDONLY)
        if requiresOwner { try await file.run { _ = try $0.checkedStatus() } }
        return file
    }

    /// Opens or creates a file that no other transfer writes to, with its contents.
    ///
    /// Throws ``FileError`` `busy` while another transfer has it, `exists` if it must be new (`exclusively`), and
    /// `foreignOwner` for a file of another user, who could change it at any time.
    static func writing(_ path: String, exclusively: Bool = false) async throws -> TransferFile {
        let file = try await Self.opened(path, O_RDWR | O_CREAT | O_NOFOLLOW | (exclusively ? O_EXCL : 0))
        try await file.run {
            _ = try $0.checkedStatus()
            try Self.lock($0)
        }
        return file
    }

    /// Locks a file for this transfer alone.
    ///
    /// Throws ``FileError`` `busy` where another transfer has it, or gave it its final name after it was opened here, and
    /// a `SystemError` (`EMLINK`) for a file with a second name, which must not change.
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

    /// Throws ``FileError`` `exists` where anything has a name, a link that leads nowhere included.
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

    /// As many of `count` bytes as there are from `offset` on.
    func read(_ count: Int, at offset: Int64) async throws -> [UInt8] {
        try await self.run { try $0.bytes(at: offset, count: count) }
    }

    func write(_ bytes: [UInt8], at offset: Int64) async throws {
        try await self.run { try $0.write(bytes, at: offset) }
    }

    func truncate(to size: Int64) async throws {
        try await self.run { try $0.truncate(to: size) }
    }

    /// Returns when the disk has the contents, where the file system knows that.
    func synchronize() async throws {
        try await self.run {
            do throws(SystemError) { try $0.synchronize() } catch {
                guard let status = error.status, [EINVAL, EROFS, ENOTSUP].contains(status) else { throw error }
            }
        }
    }

    /// Renames the file.
    ///
    /// What has the new name is replaced.
    func move(to path: String) async throws {
        try await Self.run(path, on: self.executor) { try FileSystem.move(self.path, to: path) }
    }

    /// Renames the file in one step that fails where the new name is taken.
    ///
    /// - Throws: ``FileError`` `exists` where it is.
    func moveExclusively(to path: String) async throws {
        try await Self.run(path, on: self.executor) {
            guard try FileSystem.moveExclusively(self.path, to: path) else { throw SystemError(EEXIST, "rename", path) }
        }
    }

    /// Removes a name; no error where there is none.
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
