// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif
internal import Tessera
internal import TesseraStores

/// A regular file that a transfer reads or writes; every call blocks a queue of its own and no cooperative thread.
final class TransferFile: Sendable {
    /// What the system says about it.
    struct Status: Sendable, Hashable {
        var size: Int64
        /// In nanoseconds since 1970.
        var modified: Int64
    }

    let path: String
    private let descriptor: Int32
    private let executor = BlockingExecutor()
    /// For what is done by a file's name: stores have their own, and do not wait for a disk of the caller's.
    private static let executor = BlockingExecutor()

    private init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(self.descriptor) }

    /// Opens a file to read it.
    ///
    /// If `requiresOwner` is true, a file of another user is an error (`foreignOwner`).
    static func reading(_ path: String, requiresOwner: Bool = false) async throws -> TransferFile {
        let file = try await Self.opened(path, O_RDONLY)
        if requiresOwner { try await file.run { descriptor in try Self.checkOwner(of: descriptor, path) } }
        return file
    }

    /// Opens or creates a file that no other transfer writes to, with its contents.
    ///
    /// Throws ``FileFailure`` `busy` while another transfer has it, `exists` if it must be new (`exclusively`), and
    /// `foreignOwner` for a file of another user, who could change it at any time.
    static func writing(_ path: String, exclusively: Bool = false) async throws -> TransferFile {
        let file = try await Self.opened(path, O_RDWR | O_CREAT | O_NOFOLLOW | (exclusively ? O_EXCL : 0))
        try await file.run { descriptor in
            try Self.checkOwner(of: descriptor, path)
            try Self.lock(descriptor, path)
        }
        return file
    }

    /// Locks a file for this transfer alone.
    ///
    /// Throws ``FileFailure`` `busy` where another transfer has it, or gave it its final name after it was opened here, and
    /// `system` (`EMLINK`) for a file with a second name, which must not change.
    static func lock(_ descriptor: Int32, _ path: String) throws {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? FileFailure(.busy, path: path) : .system("flock", path)
        }
        var (file, named) = (stat(), stat())
        guard fstat(descriptor, &file) == 0 else { throw FileFailure.system("fstat", path) }
        guard lstat(path, &named) == 0, named.st_dev == file.st_dev, named.st_ino == file.st_ino else {
            throw FileFailure(.busy, path: path)
        }
        guard file.st_nlink <= 1 else { throw FileFailure(.system(number: EMLINK, call: "open"), path: path) }
    }

    private static func opened(_ path: String, _ flags: Int32) async throws -> TransferFile {
        try await Self.executor.run {
            let descriptor = Self.open(path, flags | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else {
                throw errno == EEXIST ? FileFailure(.exists, path: path) : .system("open", path)
            }
            let file = TransferFile(descriptor: descriptor, path: path)
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw FileFailure.system("fstat", path) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw FileFailure(.notRegular, path: path) }
            return file
        }
    }

    private static func checkOwner(of descriptor: Int32, _ path: String) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFailure.system("fstat", path) }
        guard status.st_uid == geteuid() else { throw FileFailure(.foreignOwner, path: path) }
    }

    /// Throws ``FileFailure`` `exists` where anything has a name, a link that leads nowhere included.
    static func checkAbsence(of path: String) async throws {
        try await Self.executor.run {
            var status = stat()
            if lstat(path, &status) == 0 { throw FileFailure(.exists, path: path) }
            guard errno == ENOENT else { throw FileFailure.system("lstat", path) }
        }
    }

    func status() async throws -> Status {
        try await self.run { descriptor in
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw FileFailure.system("fstat", self.path) }
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            return Status(
                size: Int64(status.st_size),
                modified: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
            )
        }
    }

    /// As many of `count` bytes as there are from `offset` on.
    func read(_ count: Int, at offset: Int64) async throws -> [UInt8] {
        try await self.run { descriptor in
            var failure = false
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
                while done < count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[done...])
                    let step = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + Int64(done)))
                    if step < 0, errno == EINTR { continue }
                    failure = step < 0
                    if step <= 0 { return }
                    done += step
                }
            }
            if failure { throw FileFailure.system("read", self.path) }
            return bytes
        }
    }

    func write(_ bytes: [UInt8], at offset: Int64) async throws {
        try await self.run { descriptor in
            var done = 0
            while done < bytes.count {
                let step = bytes.withUnsafeBytes { buffer in
                    pwrite(
                        descriptor,
                        buffer.baseAddress?.advanced(by: done),
                        bytes.count - done,
                        off_t(offset + Int64(done))
                    )
                }
                if step < 0, errno == EINTR { continue }
                if step < 0 { throw FileFailure.system("write", self.path) }
                done += step
            }
        }
    }

    func truncate(to size: Int64) async throws {
        try await self.run { descriptor in
            guard ftruncate(descriptor, off_t(size)) == 0 else { throw FileFailure.system("ftruncate", self.path) }
        }
    }

    /// Returns when the disk has the contents, where the file system knows that.
    func synchronize() async throws {
        try await self.run { descriptor in
            guard fsync(descriptor) != 0, ![EINVAL, EROFS, ENOTSUP].contains(errno) else { return }
            throw FileFailure.system("fsync", self.path)
        }
    }

    /// Renames the file.
    ///
    /// What has the new name is replaced.
    func move(to path: String) async throws {
        try await self.run { _ in
            guard rename(self.path, path) == 0 else { throw FileFailure.system("rename", path) }
        }
    }

    /// Renames the file in one step that fails where the new name is taken.
    ///
    /// - Throws: ``FileFailure`` `exists` where it is.
    func moveExclusively(to path: String) async throws {
        try await self.run { _ in
            do {
                guard try FileSystem.moveExclusively(self.path, to: path) else {
                    throw FileFailure(.exists, path: path)
                }
            } catch let error as StoreError {
                throw FileFailure(.system(number: error.status ?? 0, call: "rename"), path: path)
            }
        }
    }

    /// Removes a name; no error where there is none.
    static func remove(_ path: String) async throws {
        try await Self.executor.run {
            guard unlink(path) == 0 || errno == ENOENT else { throw FileFailure.system("unlink", path) }
        }
    }

    private func run<Result: Sendable>(_ body: @escaping @Sendable (Int32) throws -> Result) async throws -> Result {
        try await self.executor.run { try body(self.descriptor) }
    }

    private static func open(_ path: String, _ flags: Int32) -> Int32 {
        while true {
            #if canImport(Darwin)
            let descriptor = Darwin.open(path, flags, 0o666)
            #elseif canImport(Glibc)
            let descriptor = Glibc.open(path, flags, 0o666)
            #elseif canImport(Musl)
            let descriptor = Musl.open(path, flags, 0o666)
            #else
            let descriptor = Android.open(path, flags, 0o666)
            #endif
            if descriptor >= 0 || errno != EINTR { return descriptor }
        }
    }
}
