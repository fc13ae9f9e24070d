// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The directories of one user's files, as the system lays them out.
package struct UserPlaces: Sendable {
    /// Which directories a system has for what.
    package enum Layout: Sendable {
        /// The XDG base directories of Linux and its relatives.
        case xdg
        /// `Library` in the home directory: macOS, and the container of an app.
        ///
        /// The root of a container cannot be written to on a device.
        case library
        /// A container in which `Library/Caches` alone is certain to be writable: tvOS. The system may empty it.
        case caches
    }

    /// The directories of this process's user.
    package static var current: UserPlaces {
        Self.ofTask ?? UserPlaces(layout: Self.layout, home: Self.variable("HOME"), variable: Self.variable)
    }

    /// The directories of a task, for tests.
    @TaskLocal package static var ofTask: UserPlaces?

    private static var layout: Layout {
        #if canImport(TVUIKit)
        .caches
        #elseif canImport(Darwin)
        .library
        #else
        .xdg
        #endif
    }

    private let layout: Layout
    /// The home directory, from `HOME`.
    package let home: String?
    private let variable: @Sendable (String) -> String?

    /// Directories below a home directory.
    package init(layout: Layout, home: String?, variable: @escaping @Sendable (String) -> String? = { _ in nil }) {
        self.layout = layout
        self.home = home
        self.variable = variable
    }

    // MARK: Configuration

    /// The name of the key file in ``keyDirectory``.
    package static let keyFile = "file-store.key"

    /// The directory of the keys that seal stored sessions; empty where no home directory is known.
    package var keyDirectory: String { self.configured("keys", holding: Self.keyFile) ?? "" }

    /// The file that holds the name of the store that was chosen at the first sign-in; nil without a home directory.
    package var chosenStore: String? { self.configured("store") }

    /// A file or directory in `$XDG_CONFIG_HOME/tessera`, or `~/.config/tessera`; on Apple platforms in ``data``.
    ///
    /// Earlier versions used the first one on macOS, too. What they made there stays in use: each file and directory is
    /// looked for by itself, since another program may create `~/.config/tessera` at any time.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - content: a file that shows that a directory is in use; nil: that it exists is enough.
    ///   - isEarlierPreferred: whether the earlier one is used where both exist.
    /// - Returns: the directory, nil where the user has none.
    private func configured(_ name: String, holding content: String? = nil, isEarlierPreferred: Bool = false) -> String?
    {
        let earlier = self.xdgConfiguration.map { $0 + "/" + name }
        let present = self.data.map { $0 + "/" + name }
        func isUsed(_ path: String?) -> Bool {
            guard let path else { return false }
            return access(content.map { path + "/" + $0 } ?? path, F_OK) == 0
        }
        switch self.layout {
        case .xdg: return earlier
        case .library: return isUsed(earlier) && (isEarlierPreferred || !isUsed(present)) ? earlier : present
        case .caches: return present
        }
    }

    private var xdgConfiguration: String? {
        // «All paths must be absolute. If an implementation encounters a relative path … it should … ignore it.»
        if let configuration = self.variable("XDG_CONFIG_HOME"), configuration.hasPrefix("/") {
            return configuration + "/tessera"
        }
        return self.home.map { $0 + "/.config/tessera" }
    }

    // MARK: Locks and sockets

    /// The directory of locks that belong to no directory of a store; empty where no place is known.
    ///
    /// `$XDG_RUNTIME_DIR/tessera/locks`; `/run/user/…`, which is the same for a process without that variable; else next
    /// to the keys. On Apple platforms always next to the keys, so that apps and command-line programs share the locks.
    package var lockDirectory: String {
        if case .xdg = self.layout {
            if let runtime = self.variable("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") {
                return runtime + "/tessera/locks"
            }
            let usual = "/run/user/\(geteuid())"
            if access(usual, W_OK) == 0 { return usual + "/tessera/locks" }
        }
        // A program of an earlier version knows only the earlier place.
        return self.configured("locks", isEarlierPreferred: true) ?? ""
    }

    /// The places in a container that programs share.
    package func inContainer(_ path: String) -> UserPlaces { UserPlaces(layout: self.layout, home: path) }

    /// The directory in which programs that wait for a redirect can be reached; empty where no place is known.
    package var redirectDirectory: String { self.runtimeDirectory.map { $0 + "/redirects" } ?? "" }

    /// The directory of pages that lead a browser to a provider; empty where no place is known.
    package var launchDirectory: String { self.runtimeDirectory.map { $0 + "/pages" } ?? "" }

    /// The default path of the token agent's socket; empty where no place is known.
    package var agentSocket: String { self.runtimeDirectory.map { $0 + "/agent.sock" } ?? "" }

    /// A directory that ends with the user's login session, where the system has one.
    ///
    /// `$XDG_RUNTIME_DIR/tessera`; on Linux `/run/user/…`, which is the same for a process without that variable; where
    /// neither is this user's alone, a place next to the configuration.
    private var runtimeDirectory: String? {
        let candidates =
            switch self.layout {
            case .xdg: [self.variable("XDG_RUNTIME_DIR"), "/run/user/\(geteuid())"]
            // Command-line programs on macOS may have the variable, apps do not.
            case .library: [self.variable("XDG_RUNTIME_DIR")]
            case .caches: [String?]()
            }
        if let runtime = candidates.compactMap(\.self).first(where: Self.isPrivate) { return runtime + "/tessera" }
        return self.configured("run")
    }

    /// Whether a directory is this user's alone, as the specification demands of `$XDG_RUNTIME_DIR`.
    private static func isPrivate(_ path: String) -> Bool {
        guard path.hasPrefix("/"), let status = try? FileSystem.status(of: path) else { return false }
        return status.isDirectory && status.isOwn && status.permissions & 0o077 == 0
    }

    // MARK: Data

    /// Whether a directory of a container is Tessera's own, so that nothing else is in it.
    static func isInTesserasDirectory(_ path: String) -> Bool {
        ["/Library/Application Support/tessera/", "/Library/Caches/tessera/"].contains { (path + "/").contains($0) }
    }

    /// The directory of an app's container whose files go into backups and are removed with the app; nil elsewhere.
    package var containerDirectory: String? {
        guard case .library = self.layout else { return nil }
        return self.home.map { $0 + "/Library/Application Support" }
    }

    /// The default directory of sessions; nil without a home directory.
    package var sessionDirectory: String? { self.data.map { $0 + "/sessions" } }

    /// The directory of other secrets of programs, see `SealedItems`; nil without a home directory.
    package var itemDirectory: String? { self.data.map { $0 + "/items" } }

    /// The directory of what can be downloaded again; nil without a home directory.
    ///
    /// `$XDG_CACHE_HOME/tessera`, or `~/.cache/tessera`; `~/Library/Caches/tessera` on Apple platforms.
    package var cacheDirectory: String? {
        guard case .xdg = self.layout else { return self.home.map { $0 + "/Library/Caches/tessera" } }
        if let caches = self.variable("XDG_CACHE_HOME"), caches.hasPrefix("/") { return caches + "/tessera" }
        return self.home.map { $0 + "/.cache/tessera" }
    }

    /// `$XDG_DATA_HOME/tessera`, or `~/.local/share/tessera`; on Apple platforms `~/Library/Application Support/tessera`,
    /// which on tvOS is in Caches.
    private var data: String? {
        switch self.layout {
        case .library: return self.home.map { $0 + "/Library/Application Support/tessera" }
        case .caches: return self.cacheDirectory
        case .xdg:
            if let data = self.variable("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/tessera" }
            return self.home.map { $0 + "/.local/share/tessera" }
        }
    }

    /// The path from the root, without a slash at its end; an empty one stays empty.
    package static func absolute(_ path: String, from current: String? = nil) -> String {
        guard !path.isEmpty else { return "" }
        let whole = path.hasPrefix("/") ? path : (current ?? Self.workingDirectory) + "/" + path
        return "/" + whole.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }

    private static var workingDirectory: String {
        guard let buffer = getcwd(nil, 0) else { return "" }
        defer { free(buffer) }
        return String(cString: buffer)
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
