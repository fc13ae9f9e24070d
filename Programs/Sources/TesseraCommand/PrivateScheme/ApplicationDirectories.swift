// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Tessera
internal import TesseraOAuth

/// The directories in which a Linux desktop stores programs and the user's default programs.
///
/// - SeeAlso: [XDG Base Directory Specification](https://specifications.freedesktop.org/basedir-spec/latest/)
struct ApplicationDirectories: Sendable, Hashable {
    private let data: [String]
    private let configuration: [String]
    private let desktops: [String]

    /// Finds the directories by reading environment variables with `value`.
    init(_ value: (_ name: String) -> String?) throws {
        // "All paths must be absolute. If an implementation encounters a relative path … it should … ignore it."
        func path(_ name: String) -> String? { value(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        func paths(_ name: String, otherwise usual: String) -> [String] {
            (value(name) ?? usual).split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        }
        let home = path("HOME")
        guard let data = path("XDG_DATA_HOME") ?? home.map({ $0 + "/.local/share" }),
            let configuration = path("XDG_CONFIG_HOME") ?? home.map({ $0 + "/.config" })
        else { throw CommandError.usage("The home directory is unknown", "Set HOME.") }
        self.data = [data] + paths("XDG_DATA_DIRS", otherwise: "/usr/local/share:/usr/share")
        self.configuration = [configuration] + paths("XDG_CONFIG_DIRS", otherwise: "/etc/xdg")
        self.desktops = (value("XDG_CURRENT_DESKTOP") ?? "").split(separator: ":")
            .map { $0.lowercased() }.filter { !$0.contains("/") }
    }

    /// The directory for the user's own desktop entries.
    var ownDirectory: String { self.data[0] + "/applications" }

    /// The file with the user's default programs.
    var ownChoices: String { self.configuration[0] + "/mimeapps.list" }

    /// The directories with desktop entries, in order of precedence.
    var directories: [String] { self.data.map { $0 + "/applications" } }

    /// The files with default programs, in order of precedence.
    var choices: [String] {
        (self.configuration + self.directories)
            .flatMap { directory in
                self.desktops.map { "\(directory)/\($0)-mimeapps.list" } + ["\(directory)/mimeapps.list"]
            }
    }

    /// Returns the path and contents of the desktop entry with an ID.
    func entry(_ id: String) -> (path: String, text: String)? {
        // The ID can include the name of a subdirectory: the ID of kde/konsole.desktop is kde-konsole.desktop.
        let names = [id] + (id.firstIndex(of: "-").map { [id[..<$0] + "/" + id[id.index(after: $0)...]] } ?? [])
        for directory in self.directories {
            for name in names where !name.contains("..") {
                let path = "\(directory)/\(name)"
                if let text = try? DesktopFile.read(path) { return (path, text) }
            }
        }
        return nil
    }
}

/// Reads and writes small text files on a desktop.
///
/// Every call blocks.
enum DesktopFile {
    /// Returns the text of a file, or nil if it does not exist.
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
            guard bytes.count <= 1 << 20 else { throw Self.failure(path, "it is larger than 1 MB") }
        }
        // Text that is not UTF-8 could not be written back unchanged.
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.failure(path, "it is not UTF-8") }
        return text
    }

    /// Replaces a file's contents atomically.
    ///
    /// A symbolic link is preserved, and the permissions do not change.
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

    /// Removes a file if it exists.
    static func remove(_ path: String) throws {
        do { try PrivateFile.remove(path) } catch { throw Self.failure(path, error.detail ?? "") }
    }

    private static func failure(_ path: String, _ words: String) -> CommandError {
        CommandError.usage("\(path): \(words)", "Fix the file and run the command again.")
    }
}
