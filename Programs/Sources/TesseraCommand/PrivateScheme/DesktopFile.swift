// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera

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
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.failure(path, "it is not UTF-8") }
        return text
    }

    /// Puts a text in a file's place: killed at any moment, the old one is there or the new one.
    ///
    /// A link stays one, and the permissions stay what they are.
    static func write(_ text: String, to path: String) throws {
        let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        var status = stat()
        let mode = stat(target, &status) == 0 ? status.st_mode & 0o777 : nil
        do {
            if let parent = target.parentDirectory, access(parent, F_OK) != 0 { try PrivateFile.makeDirectory(parent) }
            try PrivateFile.write(Array(text.utf8), to: target)
        } catch {
            throw Self.failure(path, error.detail ?? "")
        }
        if let mode { chmod(target, mode) }
    }

    /// Removes a file; no error where there is none.
    static func remove(_ path: String) throws {
        do { try PrivateFile.remove(path) } catch { throw Self.failure(path, error.detail ?? "") }
    }

    private static func failure(_ path: String, _ words: String) -> CommandError {
        CommandError.usage("\(path): \(words)", "Mend that, and run it again.")
    }
}
