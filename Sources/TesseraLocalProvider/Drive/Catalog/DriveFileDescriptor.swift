// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// An open file, closed when nobody holds it any more.
///
/// All calls block.
final class DriveFileDescriptor: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(self.descriptor) }

    private var status: stat? {
        var status = stat()
        return fstat(self.descriptor, &status) == 0 ? status : nil
    }

    var isRegular: Bool { self.status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false }
    var size: Int64 { self.status.map { Int64($0.st_size) } ?? 0 }

    /// At most `count` bytes from `offset`; empty at the end, and when reading fails.
    func read(_ count: Int, at offset: Int64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, pread(self.descriptor, buffer.baseAddress, count, off_t(offset)))
        }
    }

    /// What is another for every content that the file ever has: its size, its time, its number; and the time alone.
    var version: (text: String, modifiedTime: Double)? {
        self.status.map { status in
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            let words = [Int64(status.st_size), Int64(time.tv_sec), Int64(time.tv_nsec)].map { String($0, radix: 36) }
            let text = (words + [String(status.st_ino, radix: 36)]).joined(separator: "-")
            return (text, Double(time.tv_sec))
        }
    }

    /// Writes everything at `offset`.
    func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
        var rest = bytes
        var offset = offset
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { pwrite(self.descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
            offset += Int64(written)
        }
        return true
    }

    /// Waits until everything is on the disk.
    func sync() -> Bool { fsync(self.descriptor) == 0 }
}
#endif
