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
    private let state = Mutex(State())

    private struct State {
        var bundle: [UInt8] = []
        /// The in-memory files, the last of which is current.
        ///
        /// A connection that is being opened may still read an older file.
        var descriptors: [Int32] = []
    }

    deinit { self.state.withLock { for descriptor in $0.descriptors { close(descriptor) } } }

    /// Returns the path of a file that contains the certificates from the system and these files, which are read again.
    ///
    /// The result is nil if a file cannot be read.
    func path(of files: [String]) -> String? {
        guard let bundle = Self.contents(of: [CurlLibrary.loaded.systemRoots].compactMap(\.self) + files) else {
            return nil
        }
        let descriptor = self.state.withLock { state -> Int32? in
            if bundle == state.bundle { return state.descriptors.last }
            let descriptor = bundle.withUnsafeBytes { tessera_curl_memory_file($0.baseAddress, $0.count) }
            guard descriptor >= 0 else { return nil }
            state.bundle = bundle
            state.descriptors.append(descriptor)
            return descriptor
        }
        return descriptor.map { "/proc/self/fd/\($0)" }
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
