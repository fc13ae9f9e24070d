// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The directories for a user's files, according to the system's conventions.
package struct UserFolders: Sendable {
    /// The directory layout of a system.
    package enum Layout: Sendable {
        /// The XDG base directories on Linux and similar systems.
        case xdg
        /// `Library` in the home directory, on macOS and in an app's container.
        ///
        /// On a device, the root of a container is not writable.
        case library
        /// A container in which only `Library/Caches` is guaranteed to be writable, on tvOS.
        ///
        /// The system can empty this directory.
        case caches
    }

    /// The current user's directories.
    package static var current: UserFolders {
        Self.ofTask ?? UserFolders(layout: Self.layout, home: Self.variable("HOME"), variable: Self.variable)
    }

    /// Directories that override ``current`` in a task, for tests.
    @TaskLocal package static var ofTask: UserFolders?

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
    /// The home directory, as specified by `HOME`.
    package let home: String?
    private let variable: @Sendable (String) -> String?

    /// Creates the directories for a home directory and an environment.
    package init(layout: Layout, home: String?, variable: @escaping @Sendable (String) -> String? = { _ in nil }) {
        self.layout = layout
        self.home = home
        self.variable = variable
    }

    // MARK: Configuration

    /// The name of the key file in ``keyDirectory``.
    package static let keyFile = "file-store.key"

    /// The directory for the keys that encrypt stored sessions, or an empty string if no home directory is known.
    package var keyDirectory: String { self.configured("keys", holding: Self.keyFile) ?? "" }

    /// The file that names the store chosen at the first sign-in, or nil if no home directory is known.
    package var chosenStore: String? { self.configured("store") }

    /// Returns a file or directory in `$XDG_CONFIG_HOME/tessera` or `~/.config/tessera`, or in ``data`` on Apple
    /// platforms.
    ///
    /// Earlier versions used the former directory on macOS as well. Files and directories that they created there
    /// remain in use. Each one is checked separately, because another program can create `~/.config/tessera` at any
    /// time.
    ///
    /// - Parameters:
    ///   - name: The name of the file or directory.
    ///   - content: A file in the directory that shows that the directory is in use, or nil if its existence is enough.
    ///   - isEarlierPreferred: Whether to prefer the earlier location if both exist.
    /// - Returns: The path, or nil if no home directory is known.
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
        // XDG Base Directory Specification: "All paths must be absolute. If an implementation encounters a relative
        // path … it should … ignore it."
        if let configuration = self.variable("XDG_CONFIG_HOME"), configuration.hasPrefix("/") {
            return configuration + "/tessera"
        }
        return self.home.map { $0 + "/.config/tessera" }
    }

    // MARK: Locks and sockets

    /// The directory for the locks of stores that are not directories, or an empty string if none is known.
    ///
    /// The directory is `$XDG_RUNTIME_DIR/tessera/locks` or `/run/user/…/tessera/locks`, which are the same for
    /// processes with and without that variable, and otherwise next to the keys. On Apple platforms, the directory is
    /// always next to the keys, so that apps and command-line programs share the locks.
    package var lockDirectory: String {
        if case .xdg = self.layout {
            if let runtime = self.variable("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") {
                return runtime + "/tessera/locks"
            }
            let usual = "/run/user/\(geteuid())"
            if access(usual, W_OK) == 0 { return usual + "/tessera/locks" }
        }
        // Programs built with an earlier version know only the earlier location.
        return self.configured("locks", isEarlierPreferred: true) ?? ""
    }

    /// Returns the directories in a container that programs share.
    package func inContainer(_ path: String) -> UserFolders { UserFolders(layout: self.layout, home: path) }

    /// The directory used to reach programs that are waiting for a redirect, or an empty string if none is known.
    package var redirectDirectory: String { self.runtimeDirectory.map { $0 + "/redirects" } ?? "" }

    /// The directory for pages that open a provider in the browser, or an empty string if none is known.
    package var launchDirectory: String { self.runtimeDirectory.map { $0 + "/pages" } ?? "" }

    /// The default path of the token agent's socket, or an empty string if none is known.
    package var agentSocket: String { self.runtimeDirectory.map { $0 + "/agent.sock" } ?? "" }

    /// A directory that exists for the duration of the user's login session, if the system has one.
    ///
    /// The directory is `$XDG_RUNTIME_DIR/tessera` or, on Linux, `/run/user/…/tessera`, which is the same for processes
    /// without that variable. If neither is private to the user, a directory next to the configuration is used.
    private var runtimeDirectory: String? {
        let candidates =
            switch self.layout {
            case .xdg: [self.variable("XDG_RUNTIME_DIR"), "/run/user/\(geteuid())"]
            // Command-line programs on macOS can have the variable, but apps do not.
            case .library: [self.variable("XDG_RUNTIME_DIR")]
            case .caches: [String?]()
            }
        if let runtime = candidates.compactMap(\.self).first(where: Self.isPrivate) { return runtime + "/tessera" }
        return self.configured("run")
    }

    /// Whether a directory is private to this user, as the specification requires for `$XDG_RUNTIME_DIR`.
    private static func isPrivate(_ path: String) -> Bool {
        guard path.hasPrefix("/"), let status = try? FileSystem.status(of: path) else { return false }
        return status.isDirectory && status.isOwn && status.permissions & 0o077 == 0
    }

    // MARK: Data

    /// Whether a directory in a container belongs to Tessera and therefore contains no other files.
    static func isInTesserasDirectory(_ path: String) -> Bool {
        ["/Library/Application Support/tessera/", "/Library/Caches/tessera/"].contains { (path + "/").contains($0) }
    }

    /// The directory in an app's container that is backed up and removed with the app, or nil on other systems.
    package var containerDirectory: String? {
        guard case .library = self.layout else { return nil }
        return self.home.map { $0 + "/Library/Application Support" }
    }

    /// The default directory for sessions, or nil if no home directory is known.
    package var sessionDirectory: String? { self.data.map { $0 + "/sessions" } }

    /// The directory for a program's other secrets (see `SealedItems`), or nil if no home directory is known.
    package var itemDirectory: String? { self.data.map { $0 + "/items" } }

    /// The directory for files that can be downloaded again, or nil if no home directory is known.
    ///
    /// The directory is `$XDG_CACHE_HOME/tessera` or `~/.cache/tessera`, and `~/Library/Caches/tessera` on Apple
    /// platforms.
    package var cacheDirectory: String? {
        guard case .xdg = self.layout else { return self.home.map { $0 + "/Library/Caches/tessera" } }
        if let caches = self.variable("XDG_CACHE_HOME"), caches.hasPrefix("/") { return caches + "/tessera" }
        return self.home.map { $0 + "/.cache/tessera" }
    }

    /// The directory for data, or nil if no home directory is known.
    ///
    /// The directory is `$XDG_DATA_HOME/tessera` or `~/.local/share/tessera`. On Apple platforms, it is
    /// `~/Library/Application Support/tessera`, or the cache directory on tvOS.
    private var data: String? {
        switch self.layout {
        case .library: return self.home.map { $0 + "/Library/Application Support/tessera" }
        case .caches: return self.cacheDirectory
        case .xdg:
            if let data = self.variable("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/tessera" }
            return self.home.map { $0 + "/.local/share/tessera" }
        }
    }

    /// Returns an absolute path without a trailing slash, or an empty string for an empty path.
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
