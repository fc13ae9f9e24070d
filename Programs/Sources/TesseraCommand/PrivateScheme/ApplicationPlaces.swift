// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

/// Where a desktop looks for programs, and for a person's choice among them.
///
/// - SeeAlso: [XDG Base Directory Specification](https://specifications.freedesktop.org/basedir-spec/latest/)
struct ApplicationPlaces: Sendable, Hashable {
    private let data: [String]
    private let configuration: [String]
    private let desktops: [String]

    /// The places that the environment names.
    init(_ value: (_ name: String) -> String?) throws {
        // "All paths must be absolute. If an implementation encounters a relative path … it should … ignore it."
        func path(_ name: String) -> String? { value(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        func paths(_ name: String, otherwise usual: String) -> [String] {
            (value(name) ?? usual).split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        }
        let home = path("HOME")
        guard let data = path("XDG_DATA_HOME") ?? home.map({ $0 + "/.local/share" }),
            let configuration = path("XDG_CONFIG_HOME") ?? home.map({ $0 + "/.config" })
        else { throw CommandError.usage("No home directory is known", "Set HOME.") }
        self.data = [data] + paths("XDG_DATA_DIRS", otherwise: "/usr/local/share:/usr/share")
        self.configuration = [configuration] + paths("XDG_CONFIG_DIRS", otherwise: "/etc/xdg")
        self.desktops = (value("XDG_CURRENT_DESKTOP") ?? "").split(separator: ":")
            .map { $0.lowercased() }.filter { !$0.contains("/") }
    }

    /// Where this person's own programs stand.
    var ownDirectory: String { self.data[0] + "/applications" }

    /// Where this person's choices stand.
    var ownChoices: String { self.configuration[0] + "/mimeapps.list" }

    /// Where programs stand, the most important place first.
    var directories: [String] { self.data.map { $0 + "/applications" } }

    /// The files with choices, the most important one first.
    var choices: [String] {
        (self.configuration + self.directories)
            .flatMap { directory in
                self.desktops.map { "\(directory)/\($0)-mimeapps.list" } + ["\(directory)/mimeapps.list"]
            }
    }

    /// The file of an entry's name, and what is in it.
    func entry(_ id: String) -> (path: String, text: String)? {
        // A folder's name may be a part of it: kde/konsole.desktop is kde-konsole.desktop.
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
