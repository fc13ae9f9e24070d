// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// Whether the browser that a program opens can be expected to read this user's files.
enum OpenerKind: Sendable, Hashable {
    /// A compiled program of this machine: it can.
    case ordinary
    /// A script, or a program that leaves the choice to others: it is not known which browser it starts, and where.
    case unknown
    /// A browser in a sandbox (Snap, Flatpak), on the host of a container, or in Windows: it cannot.
    case confined

    /// The kind of a program, from its path and what it begins with.
    init(_ program: String, environment: [String: String]) {
        let resolved = FileSystem.resolved(program)
        let paths = [program, resolved]
        let names = paths.compactMap { $0.split(separator: "/").last.map { $0.lowercased() } }
        if paths.contains(where: Self.isConfined(path:)) || names.contains(where: Self.isConfined(name:))
            || ["WSL_DISTRO_NAME", "WSL_INTEROP"].contains(where: { environment[$0]?.isEmpty == false })
        {
            self = .confined
        } else if names.contains(where: Self.startsAnother(name:)) || Self.isScript(resolved) {
            self = .unknown
        } else {
            self = .ordinary
        }
    }

    private static func isConfined(path: String) -> Bool {
        path.hasPrefix("/snap/") || path.contains("/snapd/snap/") || path.contains("/flatpak/exports/")
    }

    private static func isConfined(name: String) -> Bool {
        ["snap", "flatpak", "flatpak-spawn", "host-spawn", "distrobox-host-exec", "wslview", "wsl-open"].contains(name)
            || name.hasSuffix(".exe")
    }

    /// Openers of desktops, shells and interpreters.
    private static func startsAnother(name: String) -> Bool {
        [
            "xdg-open", "gio", "kde-open", "kde-open5", "exo-open", "gnome-open", "gvfs-open", "sensible-browser",
            "x-www-browser", "www-browser", "sh", "bash", "dash", "busybox", "zsh", "ksh", "fish", "env", "nohup",
            "setsid", "systemd-run", "sudo", "perl", "ruby", "node",
        ]
        .contains(name) || name.hasPrefix("python")
    }

    private static func isScript(_ path: String) -> Bool {
        guard let file = try? FileSystem.file(at: path) else { return true }
        return (try? file.bytes(at: 0, count: 2)) == Array("#!".utf8)
    }
}
