// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraSupport

/// The open data directory.
///
/// All access is relative to the directory's descriptor, uses plain names and does not follow symbolic links, so
/// nothing outside the directory can be reached. All calls block.
final class DriveDirectory: Sendable {
    /// A regular file in the directory.
    struct Item: Sendable {
        var name: String
        var size: Int64
        var modifiedTime: Date
    }

    /// A hidden file that is renamed when it is complete.
    struct Temporary: Sendable {
        var name: String
        var file: DriveFileDescriptor
    }

    static let indexName = ".tessera-drive.json"
    /// The prefix for the names of incomplete files.
    static let temporaryPrefix = ".tessera-upload-"
    private let descriptor: Int32

    init(path: String) throws(LocalProviderError) {
        let opened = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else {
            let reason = String(cString: strerror(errno))
            throw LocalProviderError(
                .dataDirectory,
                "Could not open the data directory: \(reason). Specify a directory that exists and is readable."
            )
        }
        self.descriptor = opened
    }

    deinit { close(self.descriptor) }

    /// Returns the regular files directly in the directory, except hidden files and names that are not valid UTF-8.
    func items() throws(APIFailure) -> [Item] { try self.names().filter { !$0.hasPrefix(".") }.compactMap(self.item) }

    /// Deletes incomplete uploads that a terminated provider left behind.
    func removeTemporaries() throws(APIFailure) {
        for name in try self.names() where name.hasPrefix(Self.temporaryPrefix) { self.remove(name) }
    }

    /// Deletes a file in the directory, which may already be missing.
    @discardableResult
    func remove(_ name: String) -> Bool {
        Self.isPlain(name) && (unlinkat(self.descriptor, name, 0) == 0 || errno == ENOENT)
    }

    private func names() throws(APIFailure) -> [String] {
        let copy = openat(self.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else {
            if copy >= 0 { close(copy) }
            throw Self.failure
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(wellFormedUTF8: bytes.prefix { $0 != 0 })
            }
            if let name { names.append(name) }
        }
        return names
    }

    private func item(_ name: String) -> Item? {
        var status = stat()
        guard fstatat(self.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            case let status = FileStatus(status), status.isRegular
        else { return nil }
        let modifiedTime = Date(timeIntervalSince1970: Double(status.modified) / 1e9)
        return Item(name: name, size: status.size, modifiedTime: modifiedTime)
    }

    /// Opens a regular file for reading.
    ///
    /// Returns `nil` if the file is missing or is no longer a regular file.
    func open(_ name: String) -> DriveFileDescriptor? {
        guard Self.isPlain(name) else { return nil }
        let opened = openat(self.descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else { return nil }
        let file = DriveFileDescriptor(opened)
        return file.isRegular ? file : nil
    }

    /// Renames a complete file.
    ///
    /// If the name is taken, a similar one is used. This method returns the final name.
    func place(_ temporary: Temporary, as name: String) throws(APIFailure) -> String {
        guard temporary.file.sync() else { throw Self.failure }
        let wanted = Self.fileName(for: name)
        for number in 1...10_000 {
            let candidate = number == 1 ? wanted : Self.numbered(wanted, number)
            if linkat(self.descriptor, temporary.name, self.descriptor, candidate, 0) == 0 {
                self.remove(temporary.name)
                return candidate
            }
            guard errno == EEXIST else { throw Self.failure }
        }
        throw Self.failure
    }

    func saveIndex(_ bytes: [UInt8]) throws(APIFailure) {
        let temporary = try self.temporary(holding: bytes)
        try self.removing(temporary) { () throws(APIFailure) in try self.place(temporary, over: Self.indexName) }
    }

    /// Runs `body`, which moves a hidden file to its final name, and removes the hidden file if this fails.
    func removing<Value>(
        _ temporary: Temporary,
        ifThrowing body: () throws(APIFailure) -> Value
    ) throws(APIFailure) -> Value {
        do throws(APIFailure) {
            return try body()
        } catch {
            self.remove(temporary.name)
            throw error
        }
    }

    /// Replaces an existing file with a complete one.
    func place(_ temporary: Temporary, over name: String) throws(APIFailure) {
        guard temporary.file.sync(), Self.isPlain(name),
            renameat(self.descriptor, temporary.name, self.descriptor, name) == 0
        else { throw Self.failure }
    }

    func temporary(holding bytes: [UInt8] = []) throws(APIFailure) -> Temporary {
        let name = "\(Self.temporaryPrefix)\(UInt64.random(in: .min ... .max))"
        let opened = openat(self.descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard opened >= 0 else { throw Self.failure }
        let file = DriveFileDescriptor(opened)
        guard file.write(bytes[...], at: 0) else {
            self.remove(name)
            throw Self.failure
        }
        return Temporary(name: name, file: file)
    }

    static let failure = APIFailure(
        .internalServerError,
        "backendError",
        "Could not read or write the data directory.",
        statusName: "INTERNAL"
    )

    static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.contains("/") && !name.contains("\0")
    }

    /// Returns a file name that is safe in a directory, is not hidden and is at most 200 bytes long.
    static func fileName(for name: String) -> String {
        var result = ""
        for scalar in name.unicodeScalars {
            let isUnsafe = scalar == "/" || scalar == "\\" || scalar.properties.generalCategory == .control
            result.unicodeScalars.append(isUnsafe ? "_" : scalar)
        }
        if result.isEmpty || result.hasPrefix(".") { result = "_" + result }
        while result.utf8.count > 200 { result.unicodeScalars.removeLast() }
        return result
    }

    private static func numbered(_ name: String, _ number: Int) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(name) (\(number))" }
        return "\(name[..<dot]) (\(number))\(name[dot...])"
    }
}

/// An open file that is closed when the last reference is released.
///
/// All calls block.
final class DriveFileDescriptor: Sendable {
    private let file: OpenFile

    init(_ descriptor: Int32) { self.file = OpenFile(descriptor: descriptor, path: "") }

    var isRegular: Bool { (try? self.file.status())?.isRegular ?? false }
    var size: Int64 { (try? self.file.status())?.size ?? 0 }

    /// Reads at most `count` bytes at an offset.
    ///
    /// Returns an empty array at the end of the file or on failure.
    func read(_ count: Int, at offset: Int64) -> [UInt8] { (try? self.file.bytes(at: offset, count: count)) ?? [] }

    /// Passes the content to `body` in chunks of at most 1 MiB, each with its offset, and returns the size.
    @discardableResult
    func forEachChunk<Failure: Error>(_ body: ([UInt8], Int64) throws(Failure) -> Void) throws(Failure) -> Int64 {
        var offset: Int64 = 0
        while case let chunk = self.read(1 << 20, at: offset), !chunk.isEmpty {
            try body(chunk, offset)
            offset += Int64(chunk.count)
        }
        return offset
    }

    /// An identifier for the current content, and the modification time.
    ///
    /// The identifier is derived from the size, the modification time and the inode.
    var version: (text: String, modifiedTime: Double)? {
        guard let status = try? self.file.status() else { return nil }
        let (seconds, nanoseconds) = status.modified.quotientAndRemainder(dividingBy: 1_000_000_000)
        let words = [status.size, seconds, nanoseconds].map { String($0, radix: 36) }
        return ((words + [String(status.identity[1], radix: 36)]).joined(separator: "-"), Double(seconds))
    }

    func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
        (try? self.file.write(Array(bytes), at: offset)) != nil
    }

    func sync() -> Bool { (try? self.file.synchronize()) != nil }
}
#endif
