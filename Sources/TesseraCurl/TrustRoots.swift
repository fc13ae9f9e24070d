// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import CTesseraCurl
internal import TesseraSupport

/// The system's root certificates and those from additional files, combined in an in-memory file.
///
/// libcurl accepts only a single file. If the certificates were passed as bytes (`CURLOPT_CAINFO_BLOB`), libcurl would
/// copy all of them for each request, even on a reused connection. With the 200 KB of certificates in Debian, this
/// takes 30 µs.
final class TrustRoots: Sendable {
    private let files: [String]
    private let state = Mutex(State())

    private struct State {
        var bundle: [UInt8] = []
        /// The versions of the files in the bundle, or an empty array if the next call must read them again.
        var versions: [Version] = []
        /// The in-memory files, the last of which is current.
        ///
        /// A connection that is being opened may still read an older file.
        var descriptors: [Int32] = []
        /// The path of the current in-memory file.
        var path: String?
    }

    /// Creates the combination of the system's root certificates and those in additional files.
    init(_ files: [String]) { self.files = [CurlLibrary.loaded.systemRoots].compactMap(\.self) + files }

    deinit { self.state.withLock { for descriptor in $0.descriptors { close(descriptor) } } }

    /// A version of a file, as far as its status shows.
    private struct Version: Equatable {
        private let device: UInt64
        private let inode: UInt64
        private let size: Int64
        private let modified: Time
        private let changed: Time

        private struct Time: Equatable {
            let seconds: Int
            let nanoseconds: Int

            init(_ time: timespec) { (self.seconds, self.nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec)) }
        }

        /// Returns the version of a file, or nil if it does not exist.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (self.device, self.inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
            self.size = Int64(status.st_size)
            (self.modified, self.changed) = (Time(status.st_mtim), Time(status.st_ctim))
        }

        /// Whether a later change would have another time, because file systems measure it only roughly.
        func isOlder(than time: time_t) -> Bool { max(self.modified.seconds, self.changed.seconds) + 2 < time }
    }

    /// Returns the path of a file that contains the certificates from the system and the current versions of the files.
    ///
    /// The files are read only if they have changed. The result is nil if a file cannot be read.
    func path() -> String? {
        let known = self.state.withLock { state in
            let isCurrent =
                state.versions.count == self.files.count
                && zip(state.versions, self.files).allSatisfy { version, file in version == Version(file) }
            return isCurrent ? state.path : nil
        }
        return known ?? self.read()
    }

    private func read() -> String? {
        let versions = self.files.compactMap { Version($0) }
        let time = time(nil)
        guard versions.count == self.files.count, let bundle = Self.contents(of: self.files) else { return nil }
        return self.state.withLock { state in
            state.versions = versions.allSatisfy { $0.isOlder(than: time) } ? versions : []
            if bundle == state.bundle { return state.path }
            let descriptor = bundle.withUnsafeBytes { tessera_curl_memory_file($0.baseAddress, $0.count) }
            guard descriptor >= 0 else {
                state.versions = []
                return nil
            }
            state.bundle = bundle
            state.descriptors.append(descriptor)
            state.path = "/proc/self/fd/\(descriptor)"
            return state.path
        }
    }

    private static func contents(of files: [String]) -> [UInt8]? {
        var bundle: [UInt8] = []
        for file in files {
            guard let bytes = FileManager.default.contents(atPath: file) else { return nil }
            bundle += bytes
            bundle.append(0x0A)
        }
        return bundle
    }
}
#endif
