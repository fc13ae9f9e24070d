// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// A page in a file that only this user can read.
///
/// Every call blocks. The file is locked for as long as it is needed. One that is not locked was left by a process that died.
final class LaunchFile: Sendable {
    private static let suffix = ".html"

    private let file: OpenFile

    private init(_ file: consuming OpenFile) { self.file = file }

    var path: String { self.file.path }

    /// The file's address for a browser.
    var address: String { URL(filePath: self.path, directoryHint: .notDirectory).absoluteString }

    /// Creates a file with mode 0600 in a directory with mode 0700.
    ///
    /// - Throws: `SignInError` `noBrowser` where there is no such directory, or the file cannot be written.
    static func create(_ contents: String, in directory: String) throws(SignInError) -> LaunchFile {
        do {
            guard !directory.isEmpty else {
                throw LaunchFailure(description: "no directory for it is known (set HOME)")
            }
            try FileSystem.makeDirectory(directory)
            guard FileSystem.isPrivateDirectory(directory) else {
                throw LaunchFailure(description: "\(directory) is open to other users (chmod 700 it)")
            }
            while true {
                let path = "\(directory)/\(String(UInt64.random(in: 0 ... .max), radix: 36))\(Self.suffix)"
                let file = try FileSystem.openFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
                // Another process that cleans up may have been faster than the lock. File systems without locks have no
                // cleaning up either.
                file.lock()
                guard try file.status().linkCount > 0 else { continue }
                do {
                    try file.setPrivateMode()
                    try file.write(Array(contents.utf8), at: 0)
                } catch {
                    try? FileSystem.remove(path)
                    throw error
                }
                return LaunchFile(file)
            }
        } catch {
            throw SignInError(.noBrowser, detail: "the page that leads to the provider could not be written: \(error)")
        }
    }

    /// Removes the file.
    func remove() { try? FileSystem.remove(self.path) }

    /// Removes the files of processes that died.
    static func removeStale(in directory: String) {
        guard FileSystem.isPrivateDirectory(directory) else { return }
        let names = (try? FileSystem.names(in: directory)) ?? []
        for name in names where name.hasSuffix(Self.suffix) {
            let path = "\(directory)/\(name)"
            guard let file = try? FileSystem.file(at: path), (try? file.tryLock()) == true else { continue }
            try? FileSystem.remove(path)
        }
    }
}

/// Why a page could not be written.
private struct LaunchFailure: Error, CustomStringConvertible {
    let description: String
}
