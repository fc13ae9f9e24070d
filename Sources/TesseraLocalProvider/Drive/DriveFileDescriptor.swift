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

    /// Writes everything and waits until it is on the disk.
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { platformWrite(self.descriptor, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return fsync(self.descriptor) == 0
    }
}

private func platformWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
#endif
