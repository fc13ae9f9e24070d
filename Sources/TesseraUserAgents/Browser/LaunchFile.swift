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
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraStores

/// A page in a file that only this user can read.
///
/// Every call blocks. The file is locked for as long as it is needed. One that is not locked was left by a process that died.
struct LaunchFile: Sendable {
    private static let suffix = ".html"

    let path: String
    private let descriptor: Int32

    /// The file's address for a browser.
    var address: String { URL(filePath: self.path, directoryHint: .notDirectory).absoluteString }

    /// Creates a file with mode 0600 in a directory with mode 0700.
    ///
    /// - Throws: `SignInError` `noBrowser` where there is no such directory, or the file cannot be written.
    static func create(_ contents: String, in directory: String) throws(SignInError) -> LaunchFile {
        do {
            guard !directory.isEmpty else { throw LaunchFailure("no directory for it is known (set HOME)") }
            try FileSystem.makeDirectory(directory)
            guard FileSystem.isPrivateDirectory(directory) else {
                throw LaunchFailure("\(directory) is open to other users (chmod 700 it)")
            }
            while true {
                let name = String(UInt64.random(in: 0 ... .max), radix: 36) + Self.suffix
                let path = "\(directory)/\(name)"
                let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
                guard descriptor >= 0 else { throw LaunchFailure(call: "open", path) }
                let file = LaunchFile(path: path, descriptor: descriptor)
                // Another process that cleans up may have been faster than the lock. File systems without locks have no
                // cleaning up either.
                _ = flock(descriptor, LOCK_EX)
                guard file.isLinked else {
                    close(descriptor)
                    continue
                }
                do throws(LaunchFailure) { try file.write(Array(contents.utf8)) } catch {
                    file.remove()
                    throw error
                }
                return file
            }
        } catch {
            throw SignInError(.noBrowser, detail: "the page that leads to the provider could not be written: \(error)")
        }
    }

    /// Removes the file.
    func remove() {
        unlink(self.path)
        close(self.descriptor)
    }

    /// Removes the files of processes that died.
    static func removeStale(in directory: String) {
        guard FileSystem.isPrivateDirectory(directory) else { return }
        let names = (try? FileSystem.names(in: directory)) ?? []
        for name in names where name.hasSuffix(Self.suffix) {
            let path = "\(directory)/\(name)"
            let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            close(descriptor)
        }
    }

    private var isLinked: Bool {
        var status = stat()
        return fstat(self.descriptor, &status) == 0 && status.st_nlink > 0
    }

    private func write(_ bytes: [UInt8]) throws(LaunchFailure) {
        // The umask may have taken away the owner's own rights.
        guard fchmod(self.descriptor, 0o600) == 0 else { throw LaunchFailure(call: "chmod", self.path) }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                return pwrite(self.descriptor, rest.baseAddress, rest.count, off_t(done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw LaunchFailure(call: "write", self.path) }
            done += count
        }
    }
}

/// Why a page could not be written.
private struct LaunchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    init(call: String, _ path: String) { self.description = "\(call) \(path): error \(errno)" }
}
