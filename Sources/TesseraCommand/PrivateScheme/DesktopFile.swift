// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import TesseraSupport
internal import Tessera
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The small text files of a desktop; every call blocks.
enum DesktopFile {
    /// The whole text, nil where there is no such file.
    static func read(_ path: String) throws -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw Self.failure(path, FileBytes.words(errno))
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while true {
            let chunk = try FileBytes.chunk(descriptor, path, "read")
            if chunk.isEmpty { break }
            bytes += chunk
            guard bytes.count <= 1 << 20 else { throw Self.failure(path, "it is too large for what it should be") }
        }
        // What is no UTF-8 could not be written back as it was.
        guard let text = String(wellFormedUTF8: bytes) else { throw Self.failure(path, "it is not UTF-8") }
        return text
    }

    /// Puts a text in a file's place: killed at any moment, the old one is there or the new one.
    ///
    /// A link stays one, and the permissions stay what they are.
    static func write(_ text: String, to path: String) throws {
        let target = FileSystem.resolved(path)
        var status = stat()
        let mode = stat(target, &status) == 0 ? status.st_mode & 0o777 : nil
        do {
            if let parent = FileSystem.parent(of: target), access(parent, F_OK) != 0 {
                try FileSystem.makeDirectory(parent)
            }
            try FileSystem.replace(target, with: Array(text.utf8))
        } catch {
            throw Self.failure(path, error.detail)
        }
        if let mode { chmod(target, mode) }
    }

    /// Removes a file; no error where there is none.
    static func remove(_ path: String) throws {
        do { try FileSystem.remove(path) } catch { throw Self.failure(path, error.detail) }
    }

    private static func failure(_ path: String, _ words: String) -> CommandError {
        CommandError.usage("\(path): \(words)", "Mend that, and run it again.")
    }
}
#endif
